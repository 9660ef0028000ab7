import { createServer, type Server } from 'node:http';

export interface LocalWeb {
  readonly url: string;
  readonly page: string;
  close(): Promise<void>;
}

/** Starts a web server that serves one page at every path, on the loopback address or on `host`. `page` is its text. */
export async function startLocalWeb(
  page = 'a page behind the proxy\n'.repeat(100),
  host = '127.0.0.1',
): Promise<LocalWeb> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', connection: 'close' }).end(page);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  return { url: `http://${host}:${portOf(server)}/`, page, close: () => close(server) };
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
