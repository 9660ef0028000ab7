import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import {
  type Certificate,
  ConnectionLimiter,
  LOOPBACK_NETWORKS,
  readCertificate,
  socketLimit,
  TLS_OPTIONS,
  watchCertificate,
} from '@rampart/program';
import type { FastifyInstance } from 'fastify';
import type { ManagementEnv } from '../env/management-env.js';
import { ControlSocket } from './control-socket.js';
import { removeForwardedPorts } from './forwarded-ports.js';

/** Milliseconds in which the headers, and the whole request, must arrive, so that slow senders cannot hold connections. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Milliseconds after which a connection without any traffic is closed, so that slow readers cannot hold connections. */
const IDLE_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 72_000;
const HANDSHAKE_MS = 10_000;
const OPTIONS = {
  // server.ts checks this header, so that a refusal has the usual form.
  requireHostHeader: false,
  maxHeaderSize: 16 * 2 ** 10,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: 5_000,
};

type Server = http.Server | https.Server;

/** Creates the servers for Fastify: HTTPS where a certificate is set, with limits on the number of connections. */
export class HttpListener {
  private readonly logger = new Logger('Http');
  private readonly servers: Server[] = [];
  private handler: http.RequestListener = () => undefined;
  private readonly limiter: ConnectionLimiter;
  private readonly endWatch: () => void;

  private constructor(
    env: ManagementEnv,
    private certificate: Certificate | undefined,
  ) {
    const warn = (line: string): void => this.logger.warn(line);
    const { sockets, note } = socketLimit(env.maxSockets, 'RAMPART_MAX_SOCKETS');
    if (note !== undefined) warn(note);
    this.limiter = new ConnectionLimiter({
      maxSockets: sockets,
      maxPerAddress: env.maxSocketsPerAddress,
      // All clients of a proxy share its address, and a proxy on this machine may not be named in the settings.
      exempt: [...LOOPBACK_NETWORKS, ...(env.trustedProxies ?? [])],
      ...(certificate !== undefined && { handshakeMs: HANDSHAKE_MS }),
      closeIdle: () => {
        for (const server of this.servers) server.closeIdleConnections();
      },
      warn,
      advice: {
        sockets: 'Put a proxy with a cache or limits in front, or raise RAMPART_MAX_SOCKETS.',
        perAddress:
          'Name it in RAMPART_TRUSTED_PROXIES if it is a proxy of yours, or raise RAMPART_MAX_SOCKETS_PER_ADDRESS.',
      },
    });
    this.endWatch =
      certificate === undefined
        ? () => undefined
        : watchCertificate({
            current: certificate,
            load: () => certificateOf(env),
            apply: (changed) => this.replaceCertificate(changed),
            log: (line) => this.logger.log(line),
            warn,
          });
  }

  /** @throws CertificateError that names the setting */
  static async create(env: ManagementEnv): Promise<HttpListener> {
    return new HttpListener(env, env.tlsCert === undefined ? undefined : await certificateOf(env));
  }

  /** The `serverFactory` of Fastify, which asks for one server per address of a host name. */
  readonly createServer = (handler: http.RequestListener): Server => {
    const { certificate } = this;
    this.handler = handler;
    const oneAtATime = oneRequestAtATime(handler);
    const server =
      certificate === undefined
        ? http.createServer(OPTIONS, oneAtATime)
        : https.createServer({ ...OPTIONS, ...secureContext(certificate) }, oneAtATime);
    server.setTimeout(IDLE_TIMEOUT_MS);
    this.limiter.attachTo(server);
    this.servers.push(server);
    return server;
  };

  /** Counts what is asked by a proxy for its client, whose oldest requests give way where that has too many open. */
  countRequests(server: FastifyInstance): void {
    server.addHook('onRequest', ({ raw, ip }, reply, done) => {
      if (ip !== raw.socket.remoteAddress) reply.raw.once('close', this.limiter.serve(raw.socket, ip));
      done();
    });
  }

  /** Opens the socket on which the commands of this machine call the same API. */
  openControlSocket(path: string): Promise<ControlSocket> {
    const warn = (line: string): void => this.logger.warn(line);
    return ControlSocket.open({ path, handler: this.handler, limits: OPTIONS, warn });
  }

  /** Closes all connections, including those in a TLS handshake. */
  closeConnections(): void {
    this.limiter.closeAll();
  }

  /** Stops watching the certificate. */
  close(): void {
    this.endWatch();
  }

  private replaceCertificate(certificate: Certificate): void {
    this.certificate = certificate;
    for (const server of this.servers) {
      if (server instanceof https.Server) server.setSecureContext(secureContext(certificate));
    }
  }
}

const secureContext = ({ cert, key }: Certificate) => ({ ...TLS_OPTIONS, cert, key });

const certificateOf = ({ tlsCert = '', tlsKey = '' }: ManagementEnv): Promise<Certificate> =>
  readCertificate({ setting: 'RAMPART_TLS_CERT', file: tlsCert }, { setting: 'RAMPART_TLS_KEY', file: tlsKey });

/**
 * Ends a connection that sends a request before the last one is answered, or a second one in the same turn of the event
 * loop: Node.js reads all of a chunk in one turn, so that thousands of such requests would hold up everybody, also those
 * that are refused at once. Clients and proxies send none.
 */
function oneRequestAtATime(handler: http.RequestListener): http.RequestListener {
  const last = new WeakMap<Socket, http.ServerResponse>();
  const begunInThisTurn = new Set<Socket>();
  return (request, response) => {
    const { socket } = request;
    if (last.get(socket)?.writableEnded === false || begunInThisTurn.has(socket)) endUnread(socket);
    if (socket.destroyed) return;
    // A chunk of a connection is parsed without ticks between its requests.
    if (begunInThisTurn.size === 0) process.nextTick(() => begunInThisTurn.clear());
    begunInThisTurn.add(socket);
    last.set(socket, response);
    removeForwardedPorts(request);
    handler(request, response);
  };
}

/**
 * Ends a connection without reading the rest of its chunk, which takes Node.js 20 µs for each request. The parser has no public
 * way to stop; it does so for an upgrade (2), and without this way the rest is parsed and thrown away.
 */
function endUnread(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser !== null && 'onIncoming' in parser) parser.onIncoming = () => 2;
  socket.destroy();
}
