import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { Metadata, Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import {
  Backend,
  BackendStatsResponse,
  BaseInfoResponse,
  LatencyResponse,
  OnlineStatResponse,
  NodeServiceService as rpc,
  StatRequest,
  StatResponse,
  StatsOnlineIpListResponse,
  StatType,
  SystemStatsResponse,
  User,
  Users,
  UsersChunk,
} from '../gen/service.js';
import type { Issued } from './certificates.js';

export const REFERENCE_KEY = 'd04d8680-942d-4365-992f-9f482275691d';

/** How the other node fails: a text, and the status that each of its two services gives it. */
class Refusal extends Error {
  constructor(
    readonly http: number,
    readonly grpc: status,
    text: string,
  ) {
    super(text);
  }
}

interface Operation {
  readonly needsBackend: boolean;
  readonly run: (body: Buffer) => Uint8Array;
}

const NOTHING = new Uint8Array();
/** Field 50, a varint: something of a later version. */
const UNKNOWN_FIELD = Buffer.from([0x90, 0x03, 0x07]);
/** Its names for the calls, as routes and as RPCs. It has no CollectTraffic. */
const NAMES = {
  'POST /start': rpc.start,
  'PUT /stop': rpc.stop,
  'GET /info': rpc.getBaseInfo,
  'GET /stats': rpc.getStats,
  'GET /stats/system': rpc.getSystemStats,
  'GET /stats/backend': rpc.getBackendStats,
  'GET /stats/latency': rpc.getOutboundsLatency,
  'GET /stats/user/online': rpc.getUserOnlineStats,
  'GET /stats/user/online_ip': rpc.getUserOnlineIpListStats,
  'PUT /user/sync': rpc.syncUser,
  'PUT /users/sync': rpc.syncUsers,
  'PUT /users/sync/chunked': rpc.syncUsersChunked,
} as const;
type Route = keyof typeof NAMES;

/**
 * A node of other make, played from what was measured of it: one service at a time, HTTP/1.1 without ALPN, plain text for
 * errors, a key in `x-api-key` that must be a UUID, GETs with a body, bare log lines.
 */
export class ReferenceNode {
  readonly users = new Map<string, User>();
  readonly online = new Map<string, Record<string, bigint>>();
  /** Of all calls that were taken, in order. */
  readonly calls: string[] = [];
  chunks: UsersChunk[] = [];
  log: string[] = [];
  /** Whether its engine's process is alive. */
  engine = true;
  observatory = true;
  private backend: Backend | undefined;
  private readonly web: https.Server;
  private readonly grpc = new Server();

  constructor(
    private readonly serving: 'grpc' | 'rest',
    private readonly certificate: Issued,
  ) {
    this.web = https.createServer({ ...certificate, ALPNProtocols: [] }, (request, response) => {
      void this.serve(request, response);
    });
  }

  async listen(port = 0): Promise<number> {
    if (this.serving === 'rest') {
      this.web.listen(port, '127.0.0.1');
      await once(this.web, 'listening');
      return (this.web.address() as AddressInfo).port;
    }
    this.addService();
    const pair = { private_key: Buffer.from(this.certificate.key), cert_chain: Buffer.from(this.certificate.cert) };
    return new Promise((resolve, reject) =>
      this.grpc.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createSsl(null, [pair]), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
  }

  async close(): Promise<void> {
    this.grpc.forceShutdown();
    if (!this.web.listening) return;
    this.web.closeAllConnections();
    this.web.close();
    await once(this.web, 'close');
  }

  private readonly operations: Record<Route, Operation> = {
    'POST /start': { needsBackend: false, run: (body) => this.start(Backend.decode(body)) },
    'PUT /stop': { needsBackend: true, run: () => this.stop() },
    'GET /info': { needsBackend: false, run: () => this.info() },
    'GET /stats': { needsBackend: true, run: (body) => stats(StatRequest.decode(body)) },
    'GET /stats/system': {
      needsBackend: true,
      run: () =>
        SystemStatsResponse.encode(SystemStatsResponse.fromPartial({ memTotal: 1n << 40n, cpuUsage: 12.5 })).finish(),
    },
    'GET /stats/backend': {
      needsBackend: true,
      run: () => BackendStatsResponse.encode(BackendStatsResponse.fromPartial({ numGoroutine: 9, alloc: 7n })).finish(),
    },
    'GET /stats/latency': { needsBackend: true, run: () => this.latency() },
    'GET /stats/user/online': {
      needsBackend: true,
      run: (body) => {
        const { name, ips } = this.seen(StatRequest.decode(body));
        return OnlineStatResponse.encode({ name, value: BigInt(Object.keys(ips).length) }).finish();
      },
    },
    'GET /stats/user/online_ip': {
      needsBackend: true,
      run: (body) => StatsOnlineIpListResponse.encode(this.seen(StatRequest.decode(body))).finish(),
    },
    'PUT /user/sync': { needsBackend: true, run: (body) => this.change(User.decode(body)) },
    'PUT /users/sync': { needsBackend: true, run: (body) => this.replace(Users.decode(body)) },
    'PUT /users/sync/chunked': { needsBackend: true, run: (body) => this.merge(unframed(body)) },
  };

  private start(backend: Backend): Uint8Array {
    if (!backend.config.startsWith('{')) throw new Refusal(503, status.UNKNOWN, 'invalid character at the beginning');
    this.backend = backend;
    this.users.clear();
    for (const user of backend.users) this.users.set(user.email, user);
    return this.info();
  }

  private stop(): Uint8Array {
    this.backend = undefined;
    return NOTHING;
  }

  private info(): Uint8Array {
    const running = this.backend !== undefined;
    const info = BaseInfoResponse.fromPartial({ running, coreVersion: running ? '26.7.28' : '', version: '0.5.2' });
    return Buffer.concat([BaseInfoResponse.encode(info).finish(), UNKNOWN_FIELD]);
  }

  private latency(): Uint8Array {
    if (!this.observatory) throw new Refusal(502, status.UNKNOWN, 'xray outbound latency is not available');
    const latencies = [{ name: 'direct', alive: true, delay: 12n }];
    return LatencyResponse.encode(LatencyResponse.fromPartial({ latencies })).finish();
  }

  private seen({ name }: StatRequest): StatsOnlineIpListResponse {
    if (name === '') throw new Refusal(500, status.UNKNOWN, 'email required');
    const ips = this.online.get(name);
    if (!ips) throw new Refusal(404, status.NOT_FOUND, `rpc error: user>>>${name}>>>online not found.`);
    return { name, ips };
  }

  private change(user: User): Uint8Array {
    if (user.email === '') throw new Refusal(400, status.UNKNOWN, 'email is required');
    if (user.email === 'poison') throw new Refusal(500, status.INTERNAL, 'failed to update user: vless: no id');
    if (user.inbounds.length === 0) this.users.delete(user.email);
    else this.users.set(user.email, user);
    return NOTHING;
  }

  private replace({ users }: Users): Uint8Array {
    this.users.clear();
    for (const user of users) this.users.set(user.email, user);
    return NOTHING;
  }

  private merge(chunks: UsersChunk[]): Uint8Array {
    this.chunks = chunks;
    const missing = chunks.findIndex(({ index }, place) => index !== BigInt(place));
    if (!chunks.at(-1)?.last) throw new Refusal(400, status.INVALID_ARGUMENT, 'missing final chunk indicator');
    if (missing >= 0) throw new Refusal(400, status.INVALID_ARGUMENT, `missing chunk index ${missing}`);
    for (const { users } of chunks) for (const user of users) this.change(user);
    return NOTHING;
  }

  private admit(key: string | undefined): void {
    if (!key) throw new Refusal(401, status.UNAUTHENTICATED, 'missing x-api-key header');
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(key)) {
      throw new Refusal(422, status.INVALID_ARGUMENT, 'invalid api key format: must be a valid UUID');
    }
    if (key !== REFERENCE_KEY) throw new Refusal(403, status.PERMISSION_DENIED, 'api key mismatch');
  }

  private checkBackend(): void {
    if (!this.backend) throw new Refusal(500, status.UNAVAILABLE, 'backend not initialized');
    if (!this.engine) throw new Refusal(503, status.UNAVAILABLE, 'core is not started yet');
  }

  private answer(key: string | undefined, route: Route, body: Buffer): Uint8Array {
    this.admit(key);
    const { needsBackend, run } = this.operations[route];
    if (needsBackend) this.checkBackend();
    this.calls.push(route);
    return run(body);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = request.headers['x-api-key']?.toString();
    const route = `${request.method} ${request.url}`;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    try {
      this.admit(key);
      if (route === 'GET /logs') return this.serveLog(response);
      if (!isRoute(route)) {
        const otherMethod = Object.keys(NAMES).some((known) => known.endsWith(` ${request.url}`));
        throw otherMethod
          ? new Refusal(405, status.UNKNOWN, '')
          : new Refusal(404, status.UNKNOWN, '404 page not found');
      }
      const body = this.answer(key, route, Buffer.concat(chunks));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(body);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const text = error.message === '' ? '' : `${error.message}\n`;
      response.writeHead(error.http, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
    }
  }

  private serveLog(response: ServerResponse): void {
    this.checkBackend();
    this.calls.push('GET /logs');
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for (const line of this.log.splice(0)) response.write(`${line}\n`);
  }

  private addService(): void {
    for (const route of Object.keys(NAMES).filter(isRoute)) {
      const { path, requestStream } = NAMES[route];
      // Every method as a stream in both directions: so one handler serves them all, byte for byte.
      const method = { path, requestStream: true, responseStream: true, ...BYTES } as const;
      const single = path === rpc.syncUser.path || !requestStream;
      this.grpc.addService({ [path]: method }, { [path]: (call: Call) => void this.handle(call, route, single) });
    }
    const path = rpc.getLogs.path;
    const method = { path, requestStream: true, responseStream: true, ...BYTES } as const;
    this.grpc.addService({ [path]: method }, { [path]: (call: Call) => void this.handleLog(call) });
  }

  private async handle(call: Call, route: Route, single: boolean): Promise<void> {
    const key = call.metadata.get('x-api-key')[0]?.toString();
    try {
      const messages: Buffer[] = [];
      this.admit(key);
      let answer: Uint8Array = NOTHING;
      // Not as an iterator: its end would destroy the call before the answer.
      call.on('data', (message: Buffer) => {
        if (call.destroyed) return;
        try {
          if (single) answer = this.answer(key, route, message);
          else messages.push(message);
        } catch (error) {
          call.removeAllListeners('data').resume();
          refuse(call, error);
        }
      });
      await once(call, 'end');
      if (!single) answer = this.answer(key, route, framed(messages));
      call.write(Buffer.from(answer));
      call.end();
    } catch (error) {
      refuse(call, error);
    }
  }

  private async handleLog(call: Call): Promise<void> {
    try {
      this.admit(call.metadata.get('x-api-key')[0]?.toString());
      this.checkBackend();
      this.calls.push('GET /logs');
      call.resume();
      for (const line of this.log.splice(0)) call.write(rpc.getLogs.responseSerialize({ detail: line, sequence: 0n }));
      await once(call, 'cancelled');
    } catch (error) {
      refuse(call, error);
    }
  }
}

type Call = ServerDuplexStream<Buffer, Buffer>;

const same = (bytes: Buffer): Buffer => bytes;
const BYTES = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };

const isRoute = (route: string): route is Route => Object.hasOwn(NAMES, route);

function refuse(call: Call, error: unknown): void {
  const { grpc: code, message } = error instanceof Refusal ? error : { grpc: status.INTERNAL, message: String(error) };
  call.emit('error', { code, details: message, metadata: new Metadata() });
}

function stats({ name, type }: StatRequest): Uint8Array {
  if (type === StatType.UserStat && name === '') throw new Refusal(500, status.UNKNOWN, 'email required');
  if (type === StatType.Inbound && name === '') throw new Refusal(500, status.UNKNOWN, 'tag required');
  if (!(type in StatType)) throw new Refusal(500, status.UNKNOWN, 'not implemented stat type');
  // As its version 0.1 had them.
  const known = type === StatType.UserStat && name === '1.ann';
  return StatResponse.encode({ stats: known ? [{ name, type: 'traffic', link: 'uplink', value: 5n }] : [] }).finish();
}

const framed = (messages: readonly Buffer[]): Buffer =>
  Buffer.concat(messages.map((message) => new BinaryWriter().bytes(message).finish()));

function unframed(body: Buffer): UsersChunk[] {
  const reader = new BinaryReader(body);
  const chunks: UsersChunk[] = [];
  while (reader.pos < reader.len) chunks.push(UsersChunk.decode(reader.bytes()));
  return chunks;
}
