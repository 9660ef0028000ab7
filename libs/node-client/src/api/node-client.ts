import type {
  Backend,
  BackendStatsResponse,
  BaseInfoResponse,
  CollectTrafficRequest,
  DeepPartial,
  LatencyResponse,
  Log,
  OnlineStatResponse,
  OnlineUsersResponse,
  StatRequest,
  StatResponse,
  StatsOnlineIpListResponse,
  SystemStatsResponse,
  TrafficBatch,
  Users,
} from '../gen/service.js';
import type { UsersInput } from '../messages/user-source.js';

/** Largest message in bytes that a node takes or sends. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** What a call waits when it does not say, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 15_000;

/** Who we are to a node that asks for it, both in PEM form. */
export interface ClientCertificate {
  /** The certificate, followed by those of the authorities between it and the one that the node trusts. */
  readonly cert: string;
  readonly key: string;
}

/**
 * How the node's certificate is known: by the authority that issued it (its names must match the host), by its own
 * SHA-256 (which then replaces names, dates and issuer), or by the authorities that the system trusts.
 */
export type NodeTrust =
  | 'system'
  | (({ readonly ca: string } | { readonly fingerprint256: string } | { readonly system: true }) & {
      /** For a node that takes connections only from those it knows. */
      readonly clientCertificate?: ClientCertificate;
    });

export interface NodeClientOptions {
  /** `auto`: gRPC if the node speaks it, REST otherwise; found out without a side effect, again after a lost connection. */
  readonly transport: 'grpc' | 'rest' | 'auto';
  /** Name or address, without brackets. */
  readonly host: string;
  /** The IP address at which the host is reached, for a caller that looks names up itself; the name still counts for `tls`. */
  readonly address?: string;
  readonly port: number;
  /** See {@link apiKeyProblem}. Sent only to a peer that `tls` recognises. */
  readonly apiKey: string;
  readonly tls: NodeTrust;
  /** Time-out of a call that brings none, in milliseconds; {@link DEFAULT_TIMEOUT_MS} by default. */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  /** Ends the call with `CANCELLED`. */
  readonly signal?: AbortSignal;
  /** For the whole call, connecting included, in milliseconds; `Infinity` = no end. */
  readonly timeoutMs?: number;
}

export interface LogOptions extends CallOptions {
  /** Begin after this sequence number instead of with all that the node has kept. */
  readonly after?: bigint;
  /** Whether an open log goes on over lost connections and restarts of the node; yes by default. */
  readonly resume?: boolean;
}

export interface ChunkOptions extends CallOptions {
  /** Users in one chunk, 1 to 10,000; 500 by default. */
  readonly chunkSize?: number;
  readonly revision?: bigint | number | string;
}

/**
 * One node, over whichever transport. Every failure is a NodeClientError; see its code. Requests and users may be partial: what
 * is left out is empty, and integers may be bigints, numbers or texts of digits. What no message can hold is `INVALID_ARGUMENT`.
 */
export interface NodeClient {
  /** Starts the backend, or replaces the running one; with the same configuration only the users change. */
  start(backend: DeepPartial<Backend>, options?: CallOptions): Promise<BaseInfoResponse>;
  /** Ends the backend. Succeeds when none runs. */
  stop(options?: CallOptions): Promise<void>;
  /** Works before Start too, and so is the check of a connection. */
  info(options?: CallOptions): Promise<BaseInfoResponse>;
  /**
   * The engine's log: the lines that the node has kept, then new ones as they come. Read no faster than the loop takes
   * them; what the node could not keep so long is one line `n lines dropped`. An open log goes on by itself after a lost
   * connection. Ends quietly when the signal aborts, or when the loop is left; `timeoutMs` is the time to connect.
   */
  logs(options?: LogOptions): AsyncIterable<Log>;
  /** Counters in bytes. With `reset` they are set to zero after reading. */
  stats(request: DeepPartial<StatRequest>, options?: CallOptions): Promise<StatResponse>;
  /** The machine: memory in bytes, processors in percent, network in bytes per second. */
  systemStats(options?: CallOptions): Promise<SystemStatsResponse>;
  /** The engine's own process. */
  backendStats(options?: CallOptions): Promise<BackendStatsResponse>;
  /** From how many addresses a user is connected. */
  userOnline(email: string, options?: CallOptions): Promise<OnlineStatResponse>;
  /** The addresses of a user and when each was last seen, in unix seconds. */
  userOnlineIps(email: string, options?: CallOptions): Promise<StatsOnlineIpListResponse>;
  /** E-mails of all who are connected. Rampart's own: `NOT_FOUND` from nodes of other make. */
  onlineUsers(options?: CallOptions): Promise<OnlineUsersResponse>;
  /** What the engine's observatory measured of one outbound, or of all. */
  latencies(tag?: string, options?: CallOptions): Promise<LatencyResponse>;
  /**
   * Adds, changes or (without inbounds) removes users, and touches nobody else. Users that the node refuses are listed in
   * the `refused` of one `USERS_REFUSED`; all others hold. When it fails otherwise, some users may have been applied.
   */
  syncUser(users: UsersInput, options?: CallOptions): Promise<void>;
  /** Makes the user set exactly the given one. `USERS_REFUSED` as in {@link syncUser}. */
  syncUsers(users: DeepPartial<Users>, options?: CallOptions): Promise<void>;
  /** As {@link syncUser}, but applied together when the last has come; for many users, who are never held all at once. */
  syncUsersChunked(users: UsersInput, options?: ChunkOptions): Promise<void>;
  /** The next batch of traffic, see the contract; an acknowledged batch is never sent again. */
  collectTraffic(request: DeepPartial<CollectTrafficRequest>, options?: CallOptions): Promise<TrafficBatch>;
  /** Ends the open calls with `CANCELLED` and closes the connections. */
  close(): Promise<void>;
}
