import { type ClientRequest, createServer, request, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';

/** A server of this machine on a free port. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Answers every request with its path, 4,000 times. */
export function servePages(): Promise<Listening> {
  return listening(createServer((incoming, answer) => answer.end(page(incoming.url ?? ''))));
}

/** What `servePages` answers. */
export function page(path: string): string {
  return path.repeat(4000);
}

/** A TLS 1.3 server, the target that REALITY borrows its handshake from. */
export function serveTls(certificate: string, key: string): Promise<Listening> {
  return listening(createTlsServer({ cert: certificate, key, minVersion: 'TLSv1.3' }));
}

/** Ports that nobody listens on. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listening(createTcpServer())));
  await Promise.all(servers.map((server) => server.close()));
  return servers.map(({ port }) => port);
}

/** Fetches a page of this machine through a tunnel of an HTTP proxy, as one of its users. */
export async function fetchThrough(proxyPort: number, user: string, port: number, path: string): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${user}:password`).toString('base64')}`;
  const headers = { 'proxy-authorization': authorization };
  const connecting = request({ port: proxyPort, method: 'CONNECT', path: `127.0.0.1:${port}`, headers });
  const tunnel = await new Promise<Socket>((resolve, reject) => {
    connecting.once('connect', (_, socket) => resolve(socket));
    sendInTime(connecting, reject);
  });
  // Kept open until the last byte is here: a transport that cannot close one direction may drop the other's rest.
  const asking = request({ path, headers: { connection: 'keep-alive' }, createConnection: () => tunnel });
  try {
    return await new Promise<string>((resolve, reject) => {
      asking.once('response', (answer) => text(answer).then(resolve, reject));
      sendInTime(asking, reject);
    });
  } finally {
    tunnel.destroy();
  }
}

/** The same, tried again twice: sing-box 1.11 drops a websocket now and then, mihomo listens before it can dial. */
export async function fetchPatiently(...request: Parameters<typeof fetchThrough>): Promise<string> {
  for (let attempt = 1; attempt < 3; attempt += 1) {
    try {
      return await fetchThrough(...request);
    } catch {
      // The last attempt says what is wrong.
    }
  }
  return fetchThrough(...request);
}

function sendInTime(outgoing: ClientRequest, reject: (error: Error) => void): void {
  outgoing.once('error', reject);
  outgoing.setTimeout(10_000, () => outgoing.destroy(new Error('no answer within 10 seconds'))).end();
}

async function listening(server: Server | TcpServer): Promise<Listening> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = address(server);
  return { port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

function address(server: TcpServer): AddressInfo {
  const found = server.address();
  if (found === null || typeof found === 'string') throw new Error('the server has no port');
  return found;
}
