import { status } from '@grpc/grpc-js';
import {
  Backend,
  BackendStatsResponse,
  BackendType,
  BaseInfoResponse,
  LatencyResponse,
  OnlineStatResponse,
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
import { checkKey } from './reference-key.js';
import { ReferenceLog } from './reference-log.js';
import { ReferenceRefusal } from './reference-refusal.js';
import { ReferenceRest } from './reference-rest.js';
import { type ReferenceCall, type ReferenceRoute, routesOf } from './reference-routes.js';
import { ReferenceStarts } from './reference-starts.js';
import { type ReferenceConfig, ReferenceUsers } from './reference-users.js';
import { isBefore } from './reference-version.js';

interface Operation {
  readonly needsBackend: boolean;
  readonly run: (body: Buffer, broken: AbortSignal) => Uint8Array | Promise<Uint8Array>;
}

const NOTHING = new Uint8Array();
/** Field 50 as a varint, as a later version might add it. */
const UNKNOWN_FIELD = Buffer.from([0x90, 0x03, 0x07]);
/** A chunked sync of more users than this restarts the engine. */
const MAX_USERS_WITHOUT_RESTART = 100;

export interface ReferenceOptions {
  /** The version that the node plays. Default: 0.5.2. Older versions lack some calls. */
  readonly version?: string;
}

/**
 * Plays a node of another implementation as it was measured: one service at a time, HTTP/1.1 without ALPN, errors in plain
 * text, an API key in `x-api-key` that must be a UUID, GETs with a body, and plain log lines. Each Start, SyncUsers and large
 * chunked sync replaces its engine, and with it the counters. While a Start runs, all other calls wait; a client that gives
 * its Start up kills the engine.
 */
export class ReferenceNode {
  readonly users = new ReferenceUsers();
  readonly online = new Map<string, Record<string, bigint>>();
  /** All calls that were accepted, in order. */
  readonly calls: string[] = [];
  /** All calls that the node does not have, in order: the path over either wire. */
  readonly unknownCalls: string[] = [];
  readonly core: ReferenceEngine;
  readonly starts = new ReferenceStarts();
  readonly version: string;
  chunks: UsersChunk[] = [];
  /** The output of the engine that was started last. */
  log: ReferenceLog;
  /** Whether the process of the engine is alive. */
  engine = true;
  observatory = true;
  private backend: Backend | undefined;
  private lastRequest = 0;
  private readonly lost: ReferenceRoute[] = [];
  private readonly service: ReferenceRest | ReferenceGrpc;

  constructor(serving: 'grpc' | 'rest', certificate: Issued, { version = '0.5.2' }: ReferenceOptions = {}) {
    this.version = version;
    this.core = new ReferenceEngine(version);
    this.log = this.newLog();
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

  /** Crashes the engine. It restarts with the same users, unless it refuses one of them whom its API has accepted. */
  restartEngine(): void {
    this.core.start();
    this.engine = this.users.refusal === undefined;
  }

  /** Restarts the process of the node, which loses all state. */
  restart(): void {
    this.backend = undefined;
    this.users.clear();
    this.core.counters.clear();
  }

  /** The calls that the played version has. */
  get routes(): ReturnType<typeof routesOf> {
    return routesOf(this.version);
  }

  has(route: string): route is ReferenceRoute {
    return Object.hasOwn(this.routes, route);
  }

  admit(key: string | undefined): void {
    checkKey(key);
    this.endUnusedBackend();
    // Later versions only count calls that succeed.
    if (isBefore(this.version, 1, 2)) this.requestEnded();
  }

  private checkBackend(): void {
    if (!this.backend) throw new ReferenceRefusal(500, status.UNAVAILABLE, 'backend not initialized');
    if (!this.engine) throw new ReferenceRefusal(503, status.UNAVAILABLE, 'core is not started yet');
  }

  async answer({ key, route, body, byGrpc, broken }: ReferenceCall): Promise<Uint8Array> {
    this.admit(key);
    await this.starts.untilIdle();
    const { needsBackend, run } = this.operations[route];
    // The gRPC service does not check the backend for this call.
    if (byGrpc && route === 'GET /stats/latency' && !this.backend) return NOTHING;
    if (needsBackend) this.checkBackend();
    this.calls.push(route);
    const answer = await run(body, broken);
    this.requestEnded();
    return answer;
  }

  /**
   * Reads the log of the engine that runs now, until the client gives the call up.
   *
   * @param accept called when the call is accepted; returns the reader of lines
   */
  async readLog(key: string | undefined, broken: AbortSignal, accept: () => (line: string) => void): Promise<void> {
    this.admit(key);
    await this.starts.untilIdle();
    this.checkBackend();
    this.calls.push('GET /logs');
    const end = this.log.read(accept());
    const close = () => {
      end();
      this.requestEnded();
    };
    if (broken.aborted) close();
    else broken.addEventListener('abort', close, { once: true });
  }

  private readonly operations: Record<ReferenceRoute, Operation> = {
    'POST /start': { needsBackend: false, run: (body, broken) => this.start(decoded(Backend, body), broken) },
    'PUT /stop': { needsBackend: true, run: () => this.stop() },
    'GET /info': { needsBackend: false, run: () => this.info() },
    'GET /stats': {
      needsBackend: true,
      run: (body) => StatResponse.encode({ stats: this.core.query(decoded(StatRequest, body)) }).finish(),
    },
    'GET /stats/system': {
      needsBackend: true,
      run: () =>
        SystemStatsResponse.encode(SystemStatsResponse.fromPartial({ memTotal: 1n << 40n, cpuUsage: 12.5 })).finish(),
    },
    'GET /stats/backend': {
      needsBackend: true,
      run: () => BackendStatsResponse.encode(this.core.stats()).finish(),
    },
    'GET /stats/latency': { needsBackend: true, run: () => this.latency() },
    'GET /stats/user/online': {
      needsBackend: true,
      run: (body) => {
        const { name, ips } = this.seen(decoded(StatRequest, body));
        return OnlineStatResponse.encode({ name, value: BigInt(Object.keys(ips).length) }).finish();
      },
    },
    'GET /stats/user/online_ip': {
      needsBackend: true,
      run: (body) => StatsOnlineIpListResponse.encode(this.seen(decoded(StatRequest, body))).finish(),
    },
    'PUT /user/sync': { needsBackend: true, run: (body) => this.change(decoded(User, body, 'user')) },
    'PUT /users/sync': { needsBackend: true, run: (body) => this.replace(decoded(Users, body)) },
    'PUT /users/sync/chunked': { needsBackend: true, run: (body) => this.merge(unframed(body)) },
  };

  /** A Start replaces the running backend without a condition. */
  private async start(backend: Backend, broken: AbortSignal): Promise<Uint8Array> {
    // The running engine ends before the new configuration is read.
    this.backend = undefined;
    if (backend.type !== BackendType.XRAY) throw startRefusal('invalid backend type');
    const config = parsed(backend.config);
    if (isBefore(this.version, 2) && !config.log) throw startRefusal('log is missing');
    this.users.begin(backend, config);
    await this.starts.untilReady(broken);
    this.restartEngine();
    if (this.users.refusal !== undefined) throw startRefusal(this.users.refusal);
    this.log = this.newLog();
    this.backend = backend;
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
    this.users.change(user);
    return NOTHING;
  }

  private replace({ users }: Users): Uint8Array {
    this.users.replace(users);
    this.restartEngine();
    return NOTHING;
  }

  private merge(chunks: UsersChunk[]): Uint8Array {
    this.chunks = chunks;
    const users = usersOf(chunks);
    for (const user of users) this.users.change(user);
    if (users.length > MAX_USERS_WITHOUT_RESTART) this.restartEngine();
    return NOTHING;
  }

  private newLog(): ReferenceLog {
    return new ReferenceLog(isBefore(this.version, 3) ? 1_000 : 10_000);
  }

  private requestEnded(): void {
    this.lastRequest = performance.now();
  }

  private endUnusedBackend(): void {
    const keepAlive = Number(this.backend?.keepAlive ?? 0n) * 1_000;
    if (keepAlive > 0 && performance.now() - this.lastRequest >= keepAlive) this.backend = undefined;
  }
}

const startRefusal = (text: string) => new ReferenceRefusal(503, status.UNKNOWN, text);

function decoded<T>(type: { decode(body: Buffer): T }, body: Buffer, what = 'request'): T {
  try {
    return type.decode(body);
  } catch {
    throw new ReferenceRefusal(400, status.INTERNAL, `Failed to decode ${what}`);
  }
}

function parsed(config: string): ReferenceConfig {
  try {
    return JSON.parse(config);
  } catch {
    throw startRefusal('invalid character at the beginning');
  }
}
