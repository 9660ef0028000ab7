import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections and to servers without a port of their own. */
const FIRST = 10_000;
const LAST = 32_000;

const given = new Set<number>();

/**
 * Returns a TCP port on the loopback address that is free at this moment. It most likely stays free while nobody uses it,
 * between two runs of a program for example, because the system gives it to nobody by itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
