import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A local web server with one page. */
export async function serve(page: Buffer): Promise<{ url: string; close(): Promise<void> }> {
  const server = http.createServer((_request, response) => response.end(page));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/page`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
