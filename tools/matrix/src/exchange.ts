import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

const UP_BYTES = 300_000;
const DOWN_BYTES = 200_000;
const TIMEOUT_MS = 10_000;

/** A host name that only the node's outbound can reach, so that a direct connection fails. */
const UNRESOLVABLE_HOST = 'exchange.invalid:80';

/** A server that takes a body, answers with random bytes, and gives the digests of both in headers. */
export interface Exchange {
  readonly port: number;
  close(): Promise<void>;
}

export async function startExchange(): Promise<Exchange> {
  const server = createServer(async (incoming, answer) => {
    // A client that breaks off says so itself, and is tried again.
    const up = await buffer(incoming).catch(() => undefined);
    if (up === undefined) return;
    const down = randomBytes(DOWN_BYTES);
    answer.writeHead(200, { 'x-up': digest(up), 'x-down': digest(down) }).end(down);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the exchange has no port');
  return {
    port: address.port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends 300 KB and receives 200 KB through one account of a client. Throws unless both ends saw the same bytes. */
export async function exchangeThrough(proxyPort: number, account: string): Promise<void> {
  const tunnel = await openTunnel(proxyPort, account);
  try {
    const up = randomBytes(UP_BYTES);
    // The body waits for "100 Continue": some clients drop a connection whose first write is too large.
    const sending = request({
      method: 'POST',
      headers: {
        host: UNRESOLVABLE_HOST,
        'content-length': UP_BYTES,
        expect: '100-continue',
        connection: 'keep-alive',
      },
      createConnection: () => tunnel,
    });
    const answer = await answered(sending, () => sending.end(up));
    const down = await buffer(answer);
    if (answer.headers['x-up'] !== digest(up)) throw new Error('what went up is not what arrived');
    if (answer.headers['x-down'] !== digest(down)) throw new Error('what came down is not what was sent');
  } finally {
    tunnel.destroy();
  }
}

/** Like exchangeThrough, with two retries: sing-box 1.11 sometimes drops a websocket; mihomo listens before it can dial. */
export async function exchangeWithRetries(proxyPort: number, account: string): Promise<void> {
  for (let attempt = 1; attempt < 3; attempt += 1) {
    try {
      return await exchangeThrough(proxyPort, account);
    } catch {
      // Only the error of the last attempt counts.
    }
  }
  return exchangeThrough(proxyPort, account);
}

function openTunnel(proxyPort: number, account: string): Promise<Socket> {
  const authorization = `Basic ${Buffer.from(`${account}:password`).toString('base64')}`;
  const connecting = request({
    port: proxyPort,
    method: 'CONNECT',
    path: UNRESOLVABLE_HOST,
    headers: { 'proxy-authorization': authorization },
  });
  return new Promise((resolve, reject) => {
    connecting.once('connect', ({ statusCode }, socket) => {
      socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`nothing came for ${TIMEOUT_MS / 1000} seconds`)));
      if (statusCode === 200) resolve(socket);
      else reject(new Error(`the client answered ${statusCode}`));
    });
    connecting.once('error', reject).setTimeout(TIMEOUT_MS, () => connecting.destroy(new Error('no tunnel')));
    connecting.end();
  });
}

function answered(sending: ReturnType<typeof request>, send: () => void): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sending.once('continue', send).once('response', resolve).once('error', reject);
    sending.flushHeaders();
  });
}

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
