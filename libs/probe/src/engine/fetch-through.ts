import { constants } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, DEFAULT_CIPHERS } from 'node:tls';

export interface Fetched {
  readonly status: number;
  readonly firstByteMs: number;
  readonly bytes: number;
  readonly bytesPerSecond: number;
  /** Why the body is not complete; empty: it is, or the limit of bytes was reached. */
  readonly brokenOff: string;
}

export interface Fetch {
  readonly url: URL;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Some servers send one or two. Each costs time, and no other limit sees them. */
const MAX_INFORMATIONAL = 8;
/** Whoever answers is not known. Other groups and further handshakes would cost up to a second of the thread. */
const CHEAP_HANDSHAKE = {
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519:P-256:P-384',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

/** A throughput over fewer bytes says nothing. */
const MIN_MEASURED_BYTES = 64 * 1024;

/**
 * Fetches a URL through the HTTP proxy on a unix socket, and measures from the call on. Rejects when no answer comes. The
 * certificate of the URL is not verified: what is fetched is only counted.
 */
export async function fetchThrough(socketPath: string, { url, maxBytes, signal }: Fetch): Promise<Fetched> {
  const begin = performance.now();
  const tunnel = await openTunnel(socketPath, url, signal);
  try {
    const response = await answerOf(tunnel, url, signal);
    const firstByteMs = performance.now() - begin;
    return { status: response.statusCode ?? 0, firstByteMs, ...(await readBody(response, maxBytes, signal)) };
  } finally {
    tunnel.destroy();
  }
}

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

// Opens the connection without an agent, which would not use it.
function openTunnel(socketPath: string, url: URL, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const call = httpRequest({
      ...{
        method: 'CONNECT',
        path: `${url.hostname}:${portOf(url)}`,
        headers: { host: url.host },
        signal,
      },
      createConnection: () => connect(socketPath),
    });
    call.once('error', reject);
    call.once('connect', (response: IncomingMessage, socket: Socket) => {
      if (response.statusCode === 200) return resolve(url.protocol === 'https:' ? secured(socket, url) : socket);
      socket.destroy();
      reject(new Error(`the client answered ${response.statusCode}`));
    });
    call.end();
  });
}

function secured(socket: Socket, { hostname }: URL): Duplex {
  const name = /^[\d.]+$|^\[/.test(hostname) ? {} : { servername: hostname };
  return connectTls({ socket, ...name, ...CHEAP_HANDSHAKE, rejectUnauthorized: false });
}

function answerOf(tunnel: Duplex, url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    tunnel.once('error', reject);
    const call = httpRequest({
      ...{ method: 'GET', path: `${url.pathname}${url.search}`, headers: { host: url.host, accept: '*/*' } },
      ...{ signal, createConnection: () => tunnel },
    });
    let informational = 0;
    call.on('information', () => {
      informational += 1;
      if (informational > MAX_INFORMATIONAL) call.destroy(new Error('informational answers without end'));
    });
    call.once('error', reject);
    call.once('response', resolve);
    call.end();
  });
}

async function readBody(
  response: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Pick<Fetched, 'bytes' | 'bytesPerSecond' | 'brokenOff'>> {
  const begin = performance.now();
  let bytes = 0;
  let brokenOff = '';
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes >= maxBytes) break;
    }
  } catch (error) {
    // A slow download is a result, not a failure.
    const slow = signal.aborted && bytes > 0;
    brokenOff = slow ? '' : error instanceof Error ? error.message : String(error);
  }
  const seconds = (performance.now() - begin) / 1000;
  return { bytes, bytesPerSecond: bytes >= MIN_MEASURED_BYTES ? Math.round(bytes / seconds) : 0, brokenOff };
}
