import http from 'node:http';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { hasIdentity } from '@rampart/node-client';
import { type Certificate, type ConnectionLimiter, TLS_OPTIONS } from '@rampart/program';
import type { Authenticate } from '../auth/authenticator.js';
import { endWithoutKey } from './end-without-key.js';

/** Takes the connections that speak HTTP/2; the gRPC server registers itself here. */
export interface Http2Handler {
  injectConnection(socket: Duplex): void;
  /** Ends open calls when the port closes. */
  endCalls(): Promise<void>;
}

export type RequestHandler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

export type PortCertificate = Pick<Certificate, 'cert' | 'key' | 'clientCa' | 'clientIdentity'>;

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
/** 'PRI ' is no HTTP/1.1 method, but 'P' and 'PR' may still become PUT or PROPFIND. */
const MIN_PREFACE_BYTES = 4;
const FIRST_READ_BYTES = 2048;
const ALPN = ['h2', 'http/1.1'];
const HEADERS_TIMEOUT_MS = 15_000;
const HTTP_KEEP_ALIVE_MS = 60_000;
const TCP_KEEP_ALIVE_MS = 30_000;
/** Longer than the time that the gRPC server gives to running calls. */
const CLOSE_GRACE_MS = 700;

/** The only TLS port. Fastify owns it through its serverFactory, so listen, close and address work as usual. */
export class OnePortServer extends tls.Server {
  http2Handler: Http2Handler | undefined;
  private readonly http1: http.Server;
  private readonly undetected = new Set<tls.TLSSocket>();

  constructor(
    readonly onRequest: RequestHandler,
    hasKey: Authenticate,
    certificate: PortCertificate,
    /** Closes connections that do not finish the handshake, or do not show the key, in time. */
    readonly limiter: ConnectionLimiter,
  ) {
    super({
      ...secureContext(certificate),
      requestCert: certificate.clientCa !== undefined,
      rejectUnauthorized: certificate.clientCa !== undefined,
      // A peer that vanished without closing would keep its log stream, and with it the session, open without
      // end.
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
      // Some clients offer h2 and speak HTTP/1.1, so the protocol is detected from the first bytes instead.
      ALPNCallback: ({ protocols }) => ALPN.find((protocol) => protocols.includes(protocol)),
    });
    this.http1 = http.createServer(
      { headersTimeout: HEADERS_TIMEOUT_MS, keepAliveTimeout: HTTP_KEEP_ALIVE_MS },
      endWithoutKey(onRequest, hasKey),
    );
    // This server never listens; the event starts its checks of header and idle time-outs.
    this.http1.emit('listening');
    limiter.attachTo(this);
    this.on('secureConnection', (socket) => {
      if (isAdmitted(socket, certificate.clientIdentity)) this.detectProtocol(socket);
      else socket.destroy();
    });
  }

  /** Applies to new connections only. */
  useCertificate(certificate: PortCertificate): void {
    this.setSecureContext(secureContext(certificate));
  }

  closeIdleConnections(): void {
    this.http1.closeIdleConnections();
  }

  closeAllConnections(): void {
    this.limiter.closeAll();
  }

  /** Fastify waits for the callback, and Nest closes microservices only after that, so gRPC calls are ended here. */
  override close(callback?: (error?: Error) => void): this {
    const deadline = setTimeout(() => this.closeAllConnections(), CLOSE_GRACE_MS);
    super.close((error) => {
      clearTimeout(deadline);
      callback?.(error);
    });
    this.http1.close();
    void this.http2Handler?.endCalls();
    for (const socket of this.undetected) socket.destroy();
    return this;
  }

  private detectProtocol(socket: tls.TLSSocket): void {
    this.undetected.add(socket);
    // Errors of a connection that the peer breaks off need no handling.
    socket.on('error', () => undefined).once('close', () => this.undetected.delete(socket));
    let seen: Buffer = Buffer.alloc(0);
    const look = (): void => {
      const chunk: Buffer | null = socket.read();
      if (chunk !== null) seen = Buffer.concat([seen, chunk]);
      const known = Math.min(seen.length, PREFACE.length);
      const http2 = seen.subarray(0, known).equals(PREFACE.subarray(0, known));
      if (http2 && known < MIN_PREFACE_BYTES) {
        socket.once('readable', look);
        return;
      }
      this.undetected.delete(socket);
      giveBack(socket, seen);
      this.dispatchConnection(socket, http2);
    };
    look();
  }

  private dispatchConnection(socket: tls.TLSSocket, http2: boolean): void {
    if (!http2) {
      this.http1.emit('connection', socket);
      return;
    }
    // For clients without ALPN, to whom node:http2 would answer "Missing ALPN Protocol, expected `h2`".
    socket.alpnProtocol = 'h2';
    if (this.http2Handler) this.http2Handler.injectConnection(socket);
    else socket.destroy();
  }
}

/** In small pieces: of requests that are pipelined without the key, none is read but those in the first one. */
function giveBack(socket: tls.TLSSocket, bytes: Buffer): void {
  const last = bytes.length - (bytes.length % FIRST_READ_BYTES || FIRST_READ_BYTES);
  for (let from = last; from >= 0; from -= FIRST_READ_BYTES)
    socket.unshift(bytes.subarray(from, from + FIRST_READ_BYTES));
}

/** The certificates of nodes come from the same authority as that of management, so the authority alone is not enough. */
function isAdmitted(socket: tls.TLSSocket, identity: string | undefined): boolean {
  if (identity === undefined) return true;
  const certificate = socket.getPeerX509Certificate();
  return certificate !== undefined && hasIdentity(certificate, identity);
}

const secureContext = ({ cert, key, clientCa }: PortCertificate): tls.SecureContextOptions => ({
  ...TLS_OPTIONS,
  cert,
  key,
  ...(clientCa !== undefined && { ca: clientCa }),
});
