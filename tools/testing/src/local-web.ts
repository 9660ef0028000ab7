import { createServer, type Server } from 'node:http';

export interface LocalWeb {
  readonly url: string;
  readonly page: string;
  close(): Promise<void>;
}

/** Starts a web server on the loopback address that serves one page at every path. `page` is its text. */
export async function startLocalWeb(page = 'a page behind the proxy\n'.repeat(100)): Promise<LocalWeb> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', connection: 'close' }).end(page);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return { url: `http://127.0.0.1:${portOf(server)}/`, page, close: () => close(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the web server does not listen');
  return address.port;
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
