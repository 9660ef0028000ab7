// Load client, in its own process: sends many changes at once, each over its own connection, round after round until it
// gets `end`. Then it reports the answers.
import { Agent, request } from 'node:http';

let ending = false;
const answers = {};

process.on('message', async (message) => {
  if (message === 'end') {
    ending = true;
    return;
  }
  while (!ending) await Promise.all(message.users.map((username, index) => change(message, username, index)));
  process.send(answers, () => process.exit());
});

function change({ port, token, connections }, username, index) {
  agent ??= new Agent({ keepAlive: true, maxSockets: connections });
  const body = JSON.stringify({ note: `changed ${index} ${Date.now()}` });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const path = `/api/user/${username}`;
  return new Promise((resolve) => {
    const count = (what) => {
      answers[what] = (answers[what] ?? 0) + 1;
      resolve();
    };
    request({ host: '127.0.0.1', port, agent, method: 'PUT', path, headers }, (response) => {
      response.resume().on('end', () => count(response.statusCode));
    })
      .on('error', (error) => count(error.code))
      .end(body);
  });
}

let agent;
