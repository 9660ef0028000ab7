import { status } from '@grpc/grpc-js';
import {
  Backend,
  BackendStatsResponse,
  BackendType,
  BaseInfoResponse,
  LatencyResponse,
  OnlineStatResponse,
  NodeServiceService as rpc,
  StatRequest,
  StatResponse,
  StatsOnlineIpListResponse,
  SystemStatsResponse,
  User,
  Users,
  type UsersChunk,
} from '../gen/service.js';
import type { Issued } from './certificates.js';
import { unframed, usersOf } from './reference-chunks.js';
import { ReferenceEngine } from './reference-engine.js';
import { ReferenceGrpc } from './reference-grpc.js';
import { ReferenceRefusal } from './reference-refusal.js';
import { ReferenceRest } from './reference-rest.js';

export const REFERENCE_KEY = 'd04d8680-942d-4365-992f-9f482275691d';

interface Operation {
  readonly needsBackend: boolean;
  readonly run: (body: Buffer) => Uint8Array;
}

const NOTHING = new Uint8Array();
/** Field 50 as a varint, as a later version might add it. */
const UNKNOWN_FIELD = Buffer.from([0x90, 0x03, 0x07]);
/** A chunked sync of more users than this restarts the engine. */
const MAX_USERS_WITHOUT_RESTART = 100;

/** The calls of the reference node by REST route and RPC. It has no CollectTraffic. */
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
export type ReferenceRoute = keyof typeof NAMES;

export interface ReferenceOptions {
  /** The version that the node plays. Default: 0.5.2. Older versions lack some calls. */
  readonly version?: string;
}

/**
 * Plays a node of another implementation as it was measured: one service at a time, HTTP/1.1 without ALPN, errors in plain
 * text, an API key in `x-api-key` that must be a UUID, GETs with a body, and plain log lines. Each Start, SyncUsers and large
 * chunked sync replaces its engine, and with it the counters.
 */
export class ReferenceNode {
  readonly users = new Map<string, User>();
  readonly online = new Map<string, Record<string, bigint>>();
  /** All calls that were accepted, in order. */
  readonly calls: string[] = [];
  /** All calls that the node does not have, in order: the path over either wire. */
  readonly unknownCalls: string[] = [];
  readonly core = new ReferenceEngine();
  readonly version: string;
  chunks: UsersChunk[] = [];
  log: string[] = [];
  /** Whether the process of the engine is alive. */
  engine = true;
  observatory = true;
  private backend: Backend | undefined;
  private lastSuccess = 0;
  private readonly lost: ReferenceRoute[] = [];
  private readonly service: ReferenceRest | ReferenceGrpc;

  constructor(serving: 'grpc' | 'rest', certificate: Issued, { version = '0.5.2' }: ReferenceOptions = {}) {
    this.version = version;
    this.service = serving === 'rest' ? new ReferenceRest(this, certificate) : new ReferenceGrpc(this, certificate);
  }

  listen(port = 0): Promise<number> {
    return this.service.listen(port);
  }

  close(): Promise<void> {
    return this.service.close();
  }

  /** The configuration of the last Start. */
  get config(): string | undefined {
    return this.backend?.config;
  }

  /** Executes the next such call, but loses the response. */
  lose(route: ReferenceRoute): void {
    this.lost.push(route);
  }

  isLost(route: ReferenceRoute): boolean {
    const index = this.lost.indexOf(route);
    if (index < 0) return false;
    this.lost.splice(index, 1);
    return true;
  }

  /** Adds traffic of a user in bytes. */
  traffic(email: string, uplink: bigint, downlink: bigint): void {
    this.core.carry(email, uplink, downlink);
  }

  /** Crashes the engine, which restarts with the same users. */
  restartEngine(): void {
    this.core.start();
  }

  /** Restarts the process of the node, which loses all state. */
  restart(): void {
    this.backend = undefined;
    this.users.clear();
    this.core.counters.clear();
  }

  /** The calls that the played version has. */
  get routes(): Partial<typeof NAMES> {
    if (!this.isBefore(2)) return NAMES;
    const { 'PUT /users/sync/chunked': _, ...older } = NAMES;
    return older;
  }

  has(route: string): route is ReferenceRoute {
    return Object.hasOwn(this.routes, route);
  }

  admit(key: string | undefined): void {
    if (!key) throw new ReferenceRefusal(401, status.UNAUTHENTICATED, 'missing x-api-key header');
    // The key is accepted in every spelling of a UUID.
    const digits = /^(?:urn:uuid:|\{)?([0-9a-f-]{32,36})\}?$/i.exec(key)?.[1]?.replaceAll('-', '').toLowerCase();
    if (digits?.length !== 32) {
      throw new ReferenceRefusal(422, status.INVALID_ARGUMENT, 'invalid api key format: must be a valid UUID');
    }
    if (digits !== REFERENCE_KEY.replaceAll('-', '')) {
      throw new ReferenceRefusal(403, status.PERMISSION_DENIED, 'api key mismatch');
    }
  }

  checkBackend(): void {
    const keepAlive = Number(this.backend?.keepAlive ?? 0n) * 1_000;
    if (keepAlive > 0 && performance.now() - this.lastSuccess >= keepAlive) this.backend = undefined;
    if (!this.backend) throw new ReferenceRefusal(500, status.UNAVAILABLE, 'backend not initialized');
    if (!this.engine) throw new ReferenceRefusal(503, status.UNAVAILABLE, 'core is not started yet');
  }

  answer(key: string | undefined, route: ReferenceRoute, body: Buffer, byGrpc: boolean): Uint8Array {
    this.admit(key);
    const { needsBackend, run } = this.operations[route];
    // The gRPC service does not check the key of this call.
    if (byGrpc && route === 'GET /stats/latency' && !this.backend) return NOTHING;
    if (needsBackend) this.checkBackend();
    this.calls.push(route);
    const answer = run(body);
    this.lastSuccess = performance.now();
    return answer;
  }

  private readonly operations: Record<ReferenceRoute, Operation> = {
    'POST /start': { needsBackend: false, run: (body) => this.start(decoded(() => Backend.decode(body))) },
    'PUT /stop': { needsBackend: true, run: () => this.stop() },
    'GET /info': { needsBackend: false, run: () => this.info() },
    'GET /stats': {
      needsBackend: true,
      run: (body) =>
        StatResponse.encode({ stats: this.core.query(StatRequest.decode(body), this.isBefore(5)) }).finish(),
    },
    'GET /stats/system': {
      needsBackend: true,
      run: () =>
        SystemStatsResponse.encode(SystemStatsResponse.fromPartial({ memTotal: 1n << 40n, cpuUsage: 12.5 })).finish(),
    },
    'GET /stats/backend': {
      needsBackend: true,
      run: () => {
        const { uptime } = this.core;
        return BackendStatsResponse.encode(
          BackendStatsResponse.fromPartial({ numGoroutine: 9, alloc: 7n, uptime }),
        ).finish();
      },
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
    'PUT /user/sync': { needsBackend: true, run: (body) => this.change(decoded(() => User.decode(body), 'user')) },
    'PUT /users/sync': { needsBackend: true, run: (body) => this.replace(decoded(() => Users.decode(body))) },
    'PUT /users/sync/chunked': { needsBackend: true, run: (body) => this.merge(unframed(body)) },
  };

  /** A Start replaces the running backend without a condition. */
  private start(backend: Backend): Uint8Array {
    const refusal = (text: string) => new ReferenceRefusal(503, status.UNKNOWN, text);
    // The running engine ends before the new configuration is read.
    this.backend = undefined;
    if (backend.type !== BackendType.XRAY) throw refusal('invalid backend type');
    if (!backend.config.startsWith('{')) throw refusal('invalid character at the beginning');
    this.backend = backend;
    this.core.start();
    this.set(backend.users);
    return this.info();
  }

  private stop(): Uint8Array {
    this.backend = undefined;
    return NOTHING;
  }

  private info(): Uint8Array {
    const running = this.backend !== undefined;
    const { version } = this;
    const info = BaseInfoResponse.fromPartial({ running, coreVersion: running ? '26.7.28' : '', version });
    return Buffer.concat([BaseInfoResponse.encode(info).finish(), UNKNOWN_FIELD]);
  }

  private latency(): Uint8Array {
    if (!this.observatory) throw new ReferenceRefusal(502, status.UNKNOWN, 'xray outbound latency is not available');
    const latencies = [{ name: 'direct', alive: true, delay: 12n }];
    return LatencyResponse.encode(LatencyResponse.fromPartial({ latencies })).finish();
  }

  private seen({ name }: StatRequest): StatsOnlineIpListResponse {
    if (name === '') throw new ReferenceRefusal(500, status.UNKNOWN, 'email required');
    const ips = this.online.get(name);
    if (!ips) throw new ReferenceRefusal(404, status.NOT_FOUND, `rpc error: user>>>${name}>>>online not found.`);
    return { name, ips };
  }

  private change(user: User): Uint8Array {
    if (user.email === '') throw new ReferenceRefusal(400, status.UNKNOWN, 'email is required');
    if (user.email === 'poison') {
      throw new ReferenceRefusal(500, status.INTERNAL, 'failed to update user: vless: no id');
    }
    if (user.inbounds.length === 0) this.users.delete(user.email);
    else this.users.set(user.email, user);
    return NOTHING;
  }

  private replace({ users }: Users): Uint8Array {
    this.core.start();
    this.set(users);
    return NOTHING;
  }

  private merge(chunks: UsersChunk[]): Uint8Array {
    this.chunks = chunks;
    const users = usersOf(chunks);
    if (users.length > MAX_USERS_WITHOUT_RESTART) this.core.start();
    for (const user of users) this.change(user);
    return NOTHING;
  }

  private set(users: readonly User[]): void {
    this.users.clear();
    for (const user of users) this.users.set(user.email, user);
  }

  private isBefore(minor: number): boolean {
    return Number(this.version.split('.')[1]) < minor;
  }
}

function decoded<T>(decode: () => T, what = 'request'): T {
  try {
    return decode();
  } catch {
    throw new ReferenceRefusal(400, status.INTERNAL, `Failed to decode ${what}`);
  }
}
