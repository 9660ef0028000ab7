// Load client, in its own process: fetches subscriptions of random users over several connections. It reads only the status
// and the length of an answer, so that it is never the bottleneck.
import { connect } from 'node:net';

const CONNECTIONS = 8;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

let tokens = [];
process.on('message', async (message) => {
  if (message.tokens) tokens = message.tokens;
  else process.send(await measureRequests(message));
});

/** Sends requests for so many seconds or so many answers, and returns the figures. */
async function measureRequests({ seconds, answers = Number.POSITIVE_INFINITY, ...target }) {
  const began = performance.now();
  const end = began + (seconds ?? Number.POSITIVE_INFINITY) * 1000;
  const times = [];
  let [asked, bytes] = [0, 0];
  const mayAsk = () => {
    if (asked >= answers || performance.now() >= end) return false;
    asked += 1;
    return true;
  };
  const answered = (ms, length) => {
    times.push(ms);
    bytes += length;
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, () => runConnection(target, mayAsk, answered)));
  const rate = (times.length / (performance.now() - began)) * 1000;
  const sorted = Float64Array.from(times).sort();
  const share = (part) => sorted[Math.ceil(sorted.length * part) - 1];
  return { answers: times.length, rate, p50: share(0.5), p99: share(0.99), bytes: Math.round(bytes / times.length) };
}

/** Opens one connection and sends a request as soon as the previous one is answered. */
function runConnection({ port, path, headers = {} }, mayAsk, answered) {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = () => {
    const token = tokens[Math.floor(Math.random() * tokens.length)];
    return `GET ${path.replace('{token}', token)} HTTP/1.1\r\n${lines.join('')}\r\n`;
  };
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let head = Buffer.alloc(0);
    let [began, length, missing] = [0, 0, 0];
    const ask = () => {
      if (!mayAsk()) {
        socket.destroy();
        return resolve();
      }
      began = performance.now();
      socket.write(request());
    };
    socket.on('data', (chunk) => {
      if (missing > 0) {
        missing -= chunk.length;
      } else {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf(END_OF_HEAD);
        if (end < 0) return;
        const [, status, size] =
          /^HTTP\/1\.1 (\d+).*?\r\ncontent-length: (\d+)/is.exec(head.toString('latin1', 0, end)) ?? [];
        if (status !== '200') return reject(new Error(head.toString()));
        length = Number(size);
        missing = end + END_OF_HEAD.length + length - head.length;
        head = Buffer.alloc(0);
      }
      if (missing > 0) return;
      answered(performance.now() - began, length);
      ask();
    });
    socket
      .on('connect', ask)
      .on('error', reject)
      .on('close', () => reject(new Error('the server closed the connection')));
  });
}
