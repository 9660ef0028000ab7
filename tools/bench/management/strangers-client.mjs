// Load client, in its own process and from an address of its own: asks for subscriptions that do not exist over many connections,
// until it gets `end`. Then it reports the answers.
import { Agent, request } from 'node:http';

let ending = false;
const answers = {};

process.on('message', async (message) => {
  if (message === 'end') {
    ending = true;
    return;
  }
  const agent = new Agent({ keepAlive: true, maxSockets: message.connections });
  await Promise.all(Array.from({ length: message.connections }, () => askOn(message.port, agent)));
  process.send(answers, () => process.exit());
});

async function askOn(port, agent) {
  while (!ending) {
    const answer = await ask({ host: '127.0.0.1', localAddress: '127.0.0.9', port, agent, path: '/sub/unknown' });
    answers[answer] = (answers[answer] ?? 0) + 1;
  }
}

function ask(options) {
  return new Promise((resolve) => {
    request(options, (response) => response.resume().on('end', () => resolve(response.statusCode)))
      .on('error', (error) => resolve(error.code))
      .end();
  });
}
