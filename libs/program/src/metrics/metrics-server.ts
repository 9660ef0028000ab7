import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Health, healthStatus } from '../health/health.js';
import { type Listener, type ListenSettings, listen } from '../sockets/listen.js';
import type { ProgramMetrics } from './program-metrics.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const OPTIONS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 30_000,
  // Connections without a byte are found at these checks alone.
  connectionsCheckingInterval: 1_000,
};
/** Some Prometheus servers and health checks need no more. Beyond them, the oldest that waits for no answer gives way. */
const MAX_CONNECTIONS = 64;

export interface MetricsServerOptions {
  readonly metrics: ProgramMetrics;
  readonly health: Health;
  /** Must be sent as `Authorization: Bearer …` for metrics; undefined: everybody may read them. */
  readonly token?: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An HTTP server of its own for `/metrics`, `/health/live` and `/health/ready`, so that the program's port need not show
 * them. Health needs no token.
 */
export class MetricsServer implements Listener {
  private readonly server = createServer(OPTIONS, (request, response) => {
    this.idle.delete(request.socket);
    response.once('close', () => {
      if (!request.socket.destroyed) this.idle.add(request.socket);
    });
    this.handle(request, response).catch(() => response.destroy());
  });
  private readonly open = new Set<Socket>();
  /** Connections without a request, the longest idle first. */
  private readonly idle = new Set<Socket>();

  constructor(private readonly options: MetricsServerOptions) {
    options.metrics.addHealth(options.health);
    this.server.maxConnections = MAX_CONNECTIONS;
    this.server.on('connection', (socket) => this.accept(socket));
  }

  async listen(port: number, host: string): Promise<void> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
  }

  getHttpServer() {
    return this.server;
  }

  /** Ends the server and its connections. It may never have listened. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private accept(socket: Socket): void {
    this.open.add(socket);
    this.idle.add(socket);
    socket.once('close', () => {
      this.open.delete(socket);
      this.idle.delete(socket);
    });
    const [oldest] = this.idle;
    if (this.open.size >= MAX_CONNECTIONS) oldest?.destroy();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body, headers } = await this.answer(request);
    const head = { 'content-type': TEXT_TYPE, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
    response.writeHead(status, { ...head, ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  private async answer({ method, url = '', headers }: IncomingMessage): Promise<Answer> {
    const path = url.split('?', 1)[0] ?? '';
    if (!PATHS.has(path)) return { status: 404, body: 'Not Found\n' };
    if (method !== 'GET' && method !== 'HEAD')
      return { status: 405, body: 'Method Not Allowed\n', headers: { allow: 'GET, HEAD' } };
    if (path === '/health/live')
      return { status: 200, body: '{"status":"ok"}', headers: { 'content-type': JSON_TYPE } };
    if (path === '/health/ready') return this.readiness();
    if (!isAuthorized(headers.authorization, this.options.token))
      return { status: 401, body: 'Unauthorized\n', headers: { 'www-authenticate': 'Bearer' } };
    return this.figures();
  }

  private async readiness(): Promise<Answer> {
    const report = await this.options.health.report();
    return { status: healthStatus(report), body: JSON.stringify(report), headers: { 'content-type': JSON_TYPE } };
  }

  private async figures(): Promise<Answer> {
    const { metrics } = this.options;
    return { status: 200, body: await metrics.text(), headers: { 'content-type': metrics.contentType } };
  }
}

const PATHS = new Set(['/metrics', '/health/live', '/health/ready']);

/** Compares digests, so that neither the content nor the length of the token can be measured. */
function isAuthorized(header: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return true;
  const shown = /^bearer +(\S+)$/i.exec(header ?? '')?.[1];
  return shown !== undefined && timingSafeEqual(digest(shown), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Where metrics are served, and who may read them. */
export interface MetricsSettings {
  readonly metricsAddress: ListenSettings | undefined;
  readonly metricsToken: string | undefined;
}

/**
 * Opens the port of a metrics server where the settings name one, and logs that.
 *
 * @throws OperatorError when the port or address cannot be used.
 */
export async function listenForMetrics(
  server: MetricsServer,
  { metricsAddress, metricsToken }: MetricsSettings,
  logger: { log(line: string, context: string): void; warn(line: string, context: string): void },
): Promise<void> {
  if (metricsAddress === undefined) return;
  const address = await listen(server, metricsAddress);
  logger.log(`Metrics are on http://${address}/metrics`, 'Metrics');
  const isOpen = metricsToken === undefined && !/^(127\.|::1$|localhost$)/.test(metricsAddress.host);
  if (isOpen) {
    logger.warn('Everybody who can reach that address can read the metrics: no token is set for them', 'Metrics');
  }
}
