// Starts the load client and sends it requests.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Runs `work` with a function that loads a server (`{ port, path, headers, seconds | answers }`) and returns the figures. */
export async function withLoadClient(tokens, work) {
  const child = fork(join(import.meta.dirname, 'load-client.mjs'), { env: { PATH: process.env.PATH } });
  const died = once(child, 'exit').then(() => {
    throw new Error('the load client exited');
  });
  died.catch(() => undefined);
  try {
    child.send({ tokens });
    return await work(async (request) => {
      child.send(request);
      const [figures] = await Promise.race([once(child, 'message'), died]);
      return figures;
    });
  } finally {
    child.kill();
  }
}
