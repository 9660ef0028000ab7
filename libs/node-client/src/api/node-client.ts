import type {
  Backend,
  BackendStatsResponse,
  BaseInfoResponse,
  CertificateRequest,
  CollectTrafficRequest,
  DeepPartial,
  IssuedCertificate,
  LatencyResponse,
  Log,
  OnlineStatResponse,
  OnlineUsersResponse,
  ProbeRequest,
  ProbeResponse,
  StatRequest,
  StatResponse,
  StatsOnlineIpListResponse,
  SystemStatsResponse,
  TrafficBatch,
  User,
  Users,
} from '../gen/service.js';
import type { EncodedUsers } from '../messages/encoded-users.js';
import type { UsersInput } from '../messages/user-source.js';

/** Maximum size in bytes of a message to or from a node. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Default timeout of a call, in ms. */
export const DEFAULT_TIMEOUT_MS = 15_000;

/** The client certificate and its private key in PEM form, for a node that asks for one. */
export interface ClientCertificate {
  /** The certificate, followed by its intermediate certificates. */
  readonly cert: string;
  readonly key: string;
}

/**
 * How the certificate of the node is verified: by the authority that has issued it (`ca` in PEM form; its names must match
 * the host, or contain the URI `identity` if that is given), by its SHA-256 (which replaces all other checks), or by the
 * authorities that the system trusts.
 */
export type NodeTrust =
  | 'system'
  | ((
      | { readonly ca: string; readonly identity?: string }
      | { readonly fingerprint256: string }
      | { readonly system: true }
    ) & {
      /** The certificate for a node that demands one of its clients. */
      readonly clientCertificate?: ClientCertificate;
    });

/** How to reach one node. */
export interface NodeClientOptions {
  /** `auto` = gRPC if the node supports it, else REST. An info call decides, and again after a lost connection. */
  readonly transport: 'grpc' | 'rest' | 'auto';
  /** Host name or IP address, without brackets. */
  readonly host: string;
  /** The IP address of the host, for callers that resolve names themselves; `tls` still verifies the host name. */
  readonly address?: string;
  readonly port: number;
  /** See {@link apiKeyProblem}. It is sent only after `tls` has verified the peer. */
  readonly apiKey: string;
  readonly tls: NodeTrust;
  /** Default timeout of calls in ms. Default: {@link DEFAULT_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
  /**
   * Asked at each call for the id under which the caller logs it; a Rampart node shows it in its own log lines of that
   * call. See {@link isRequestId}.
   */
  readonly requestId?: () => string | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call with `CANCELLED`. */
  readonly signal?: AbortSignal;
  /** Timeout of the whole call in ms, connecting included; `Infinity` = none. */
  readonly timeoutMs?: number;
}

/** Options of calls whose answer has an entry for each user, or each refused one. */
export interface EntryOptions extends CallOptions {
  /**
   * Most entries of the answer, counted before anything is built of them. Default: 1,000,000, and more are `TOO_LARGE`. Refused
   * users beyond it are left out; 250,000 by default, and more are `TOO_LARGE` in any case.
   */
  readonly maxEntries?: number;
}

/** A batch of traffic, and how many of its fields were beyond `maxEntries` and were not read. */
export interface CollectedTraffic extends TrafficBatch {
  readonly leftOut: number;
}

/** Options of `logs`. */
export interface LogOptions extends CallOptions {
  /** Begins after this sequence number instead of with the oldest line that the node has kept. */
  readonly after?: bigint;
  /** Whether an open log continues after lost connections and restarts of the node. Default: true. */
  readonly resume?: boolean;
}

/** Options of `syncUsersChunked`. */
export interface ChunkOptions extends CallOptions {
  /** Number of users in one chunk, 1 to 10,000. Default: 500. */
  readonly chunkSize?: number;
  /** Order of changes, see `Users.revision`. Default: 0. */
  readonly revision?: bigint | number | string;
}

/** What `start` takes: a backend, whose users may be encoded already. */
export type StartInput = Omit<DeepPartial<Backend>, 'users'> & {
  readonly users?: readonly DeepPartial<User>[] | EncodedUsers | undefined;
};

/**
 * A client for one node, over any transport. Every failure is a NodeClientError with a code. Requests and users may be
 * partial: missing fields are empty. Integers may be bigints, numbers or texts of digits; a value that its message cannot
 * hold is `INVALID_ARGUMENT`.
 */
export interface NodeClient {
  /** Starts the backend, or replaces the running one. With the configuration that already runs, only the users change. */
  start(backend: StartInput, options?: EntryOptions): Promise<BaseInfoResponse>;
  /** Stops the backend. Succeeds when none runs. */
  stop(options?: CallOptions): Promise<void>;
  /** The state of the node. It works without a backend too, so it can check the connection. */
  info(options?: EntryOptions): Promise<BaseInfoResponse>;
  /**
   * The log of the engine: first the lines that the node has kept, then new lines. Lines are read no faster than the loop
   * takes them; lines that the node could not keep are replaced by one line `n lines dropped`. An open log continues after a
   * lost connection. It ends without an error when the signal aborts or the loop ends; `timeoutMs` limits connecting only.
   */
  logs(options?: LogOptions): AsyncIterable<Log>;
  /** Traffic counters in bytes. With `reset` they are set to zero after reading. */
  stats(request: DeepPartial<StatRequest>, options?: EntryOptions): Promise<StatResponse>;
  /** Statistics of the machine: memory in bytes, CPU usage in percent, network in bytes per second. */
  systemStats(options?: CallOptions): Promise<SystemStatsResponse>;
  /** Statistics of the process of the engine. */
  backendStats(options?: CallOptions): Promise<BackendStatsResponse>;
  /** The number of addresses from which a user is connected. */
  userOnline(email: string, options?: CallOptions): Promise<OnlineStatResponse>;
  /** The addresses of a user, with the Unix time in seconds at which each was last seen. */
  userOnlineIps(email: string, options?: CallOptions): Promise<StatsOnlineIpListResponse>;
  /** The e-mails of all connected users. Other implementations do not have this call: `NOT_FOUND`. */
  onlineUsers(options?: CallOptions): Promise<OnlineUsersResponse>;
  /** Latencies of one outbound, or of all, as the observatory of the engine has measured them. */
  latencies(tag?: string, options?: CallOptions): Promise<LatencyResponse>;
  /**
   * Adds, changes or (without inbounds) removes the given users and no others. Users that the node refuses are in `refused`
   * of one error `USERS_REFUSED`; all others are applied. After any other error, some users may have been applied.
   */
  syncUser(users: UsersInput, options?: CallOptions): Promise<void>;
  /** Replaces all users of the node by the given ones. Refused users are reported as by {@link syncUser}. */
  syncUsers(users: DeepPartial<Users>, options?: CallOptions): Promise<void>;
  /**
   * Like {@link syncUser}, but the node applies all users together at the end. The client never holds all of them in
   * memory; encoded users are one chunk.
   */
  syncUsersChunked(users: UsersInput | EncodedUsers, options?: ChunkOptions): Promise<void>;
  /**
   * The next batch of traffic, see `CollectTrafficRequest`. A batch is repeated until it is acknowledged, and never after.
   * With `maxEntries`, a longer batch is read up to there, so that it can be acknowledged too.
   */
  collectTraffic(request: DeepPartial<CollectTrafficRequest>, options?: EntryOptions): Promise<CollectedTraffic>;
  /**
   * Has an enrolled node make a new private key, which never leaves it, and returns the request for its certificate. The
   * certificate in use stays. `NOT_ENROLLED`: the node has a certificate of its own.
   */
  requestCertificate(options?: CallOptions): Promise<CertificateRequest>;
  /** Gives an enrolled node the certificate for its last request. New connections get it; open ones stay open. */
  installCertificate(certificate: DeepPartial<IssuedCertificate>, options?: CallOptions): Promise<void>;
  /**
   * Fetches a URL through the outbounds of a client, in a client engine that the node runs for it: whatever goes wrong is a
   * result. Set `timeoutMs` of the call above that of the request. `TOO_MANY_PROBES`: try again later.
   */
  probe(request: DeepPartial<ProbeRequest>, options?: CallOptions): Promise<ProbeResponse>;
  /** Aborts all open calls with `CANCELLED` and closes all connections. */
  close(): Promise<void>;
}
