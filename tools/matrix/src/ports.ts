import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** A server that listens on the loopback address. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

export async function listenOn(server: Server, port = 0): Promise<Listening> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

/** The range lies below the ports that systems use for outgoing connections. */
const MIN_PORT = 12_000;
const MAX_PORT = 32_000;

/** Finds `count` consecutive free ports and returns the first one. */
export async function freeRange(count: number): Promise<number> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const first = MIN_PORT + Math.floor(Math.random() * (MAX_PORT - MIN_PORT - count));
    if (await isFree(first, count)) return first;
  }
  throw new Error(`no ${count} free ports one after the other`);
}

async function isFree(first: number, count: number): Promise<boolean> {
  const attempts = await Promise.allSettled(
    Array.from({ length: count }, (_, offset) => listenOn(createServer(), first + offset)),
  );
  const opened = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  await Promise.all(opened.map((server) => server.close()));
  return opened.length === count;
}
