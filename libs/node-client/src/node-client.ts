import type {
  Backend,
  BaseInfoResponse,
  CollectTrafficRequest,
  StatRequest,
  StatResponse,
  TrafficBatch,
  User,
  Users,
} from './gen/service.js';

/** Largest message in bytes that a node takes or sends. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** What a call waits when it does not say, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 15_000;

/**
 * How the node's certificate is known: by the authority that issued it (its names must match the host), by its own
 * SHA-256 (which then replaces names, dates and issuer), or by the authorities that the system trusts.
 */
export type NodeTrust = { readonly ca: string } | { readonly fingerprint256: string } | 'system';

export interface NodeClientOptions {
  readonly transport: 'grpc' | 'rest';
  /** Name or address, without brackets. */
  readonly host: string;
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
  /** For the whole call, connecting included, in milliseconds. */
  readonly timeoutMs?: number;
}

/** One node, over whichever transport. Every failure is a NodeClientError; see its code. */
export interface NodeClient {
  /** Starts the backend, or replaces the running one; with the same configuration only the users change. */
  start(backend: Partial<Backend>, options?: CallOptions): Promise<BaseInfoResponse>;
  /** Ends the backend and its connections. Succeeds when there is none. */
  stop(options?: CallOptions): Promise<void>;
  /** Whether a backend runs, and the versions. Works before Start, so it also checks the connection. */
  info(options?: CallOptions): Promise<BaseInfoResponse>;
  /**
   * The engine's log: the lines that the node has kept, then new ones as they come. Ends quietly when the signal aborts,
   * or when the loop is left; `timeoutMs` is the time to connect. A line is not lost to a slow reader as long as the node
   * keeps it.
   */
  logs(options?: CallOptions): AsyncIterable<string>;
  /** Counters in bytes. With `reset` they are set to zero after reading. */
  stats(request: Partial<StatRequest>, options?: CallOptions): Promise<StatResponse>;
  /**
   * Adds, changes or (without inbounds) removes users, and touches nobody else. Users that the node refuses are named in
   * one `USERS_REFUSED`; all others hold. When it fails otherwise, some of the users may have been applied.
   */
  syncUser(users: Iterable<User> | AsyncIterable<User>, options?: CallOptions): Promise<void>;
  /** Makes the user set exactly the given one. `USERS_REFUSED` as in {@link syncUser}. */
  syncUsers(users: Partial<Users>, options?: CallOptions): Promise<void>;
  /** The next batch of traffic, see the contract; an acknowledged batch is never sent again. */
  collectTraffic(request: Partial<CollectTrafficRequest>, options?: CallOptions): Promise<TrafficBatch>;
  /** Ends the open calls with `CANCELLED` and closes the connections. */
  close(): Promise<void>;
}
