// Repeats requests, each over a connection of its own, in a process that does nothing else. For each `cut` it reports the
// latencies since the one before.
import { Agent, request } from 'node:http';

let lines = [];

process.on('message', (message) => {
  if (message === 'cut')
    process.send(lines.map(({ times, failures }) => ({ ...percentiles(times.splice(0)), failures })));
  else lines = message.requests.map((one) => watch(message.port, one));
});

function watch(port, { path, headers }) {
  const line = { times: [], failures: 0 };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const repeat = async () => {
    for (;;) {
      const began = performance.now();
      if ((await ask({ host: '127.0.0.1', port, agent, path, headers })) !== 200) line.failures += 1;
      line.times.push(performance.now() - began);
    }
  };
  void repeat();
  return line;
}

function ask(options) {
  return new Promise((resolve) => {
    request(options, (response) => response.resume().on('end', () => resolve(response.statusCode)))
      .on('error', (error) => resolve(error.code))
      .end();
  });
}

function percentiles(times) {
  const sorted = times.toSorted((one, other) => one - other);
  const share = (part) => sorted[Math.ceil(sorted.length * part) - 1];
  return { p50: share(0.5), p99: share(0.99), worst: sorted.at(-1) };
}
