import type { BackendStatsResponse, Latency, ProbeRequest, ProbeResponse, RefusedUser } from '@rampart/node-client';
import type { NodeError } from '../errors/node-error.js';
import type { RawUser } from '../wire/raw-user.js';

export interface BackendConfig {
  /** The configuration in the engine's own language. */
  readonly text: string;
  /** Tags of inbounds whose users stay as the configuration has them. */
  readonly excludedInbounds: readonly string[];
  /** Private networks that users may reach. Undefined: nothing keeps users out of any. */
  readonly allowedNetworks?: readonly string[];
}

export interface TrafficBytes {
  uplink: bigint;
  downlink: bigint;
}

/** What traffic is counted for. */
export type TrafficGroup = 'users' | 'inbounds' | 'outbounds';

/** Bytes by name since the last reading. */
export interface TrafficReading extends Readonly<Record<TrafficGroup, ReadonlyMap<string, TrafficBytes>>> {
  /** The run of the engine; absent where its counters end with the node's process. */
  readonly run?: string;
  /** How many counters of an engine were read for it, changed or not. */
  readonly counters?: number;
}

/** What has been counted of each run of an engine that may outlive the node's process. */
export interface EngineRuns {
  /**
   * A run whose counters are zero, or show these bytes, which are counted nowhere. Resolves when that is on the disk, if the
   * disk works.
   */
  beginRun(run: string, shown?: TrafficReading): Promise<void>;
  /** What has been counted of a run; undefined when the run is unknown. */
  countedIn(run: string): TrafficReading | undefined;
  /** The engine has ended, and its last reading was reported. */
  endRun(run: string): void;
  /** Ends all runs but these. */
  keepRuns(runs: ReadonlySet<string>): void;
}

/** Events that a backend reports without being asked. */
export interface BackendEvents {
  /** It is absent where no engine outlives the node's process. */
  readonly runs?: EngineRuns;
  /** A line of the engine's output. */
  log(line: string): void;
  /**
   * A message of the backend itself for operators. Without this function it is logged as a line with the prefix
   * `[rampart]`.
   */
  note?(text: string): void;
  /** The same for a message that needs an operator's attention, logged with the prefix `[rampart] [Warning]`. */
  warn?(text: string): void;
  /**
   * A reading that nobody has asked for: the last one of an engine, right before it is ended, and that of one that was busy.
   * Every byte is in exactly one reading.
   */
  lastTraffic(reading: TrafficReading): void;
}

/** The users that a backend serves: requested by the caller, and accepted. */
export interface ServedUsers {
  readonly count: number;
  /** Digest of all users, see UsersDigest. */
  readonly digest: Uint8Array;
  /** Whether a user with exactly this e-mail is served. */
  hasUser(email: string): boolean;
  /** A copy of the users at the time of the call, in which later changes do not appear; it can be iterated again. */
  allUsers(): Iterable<RawUser>;
}

/** Figures of the engine's processes, for metrics. */
export interface BackendFigures {
  /** Resident memory in bytes of the engine that serves, and of those that only drain; 0 where there is none. */
  readonly memory: { readonly serving: number; readonly draining: number };
  /** Number of engines that only have older connections left. */
  readonly draining: number;
  /** Replacements of the engine that cut no connection, by what has changed. */
  readonly handovers: { readonly configuration: number; readonly users: number };
  /** Replacements that had to end the old engine first. */
  readonly restartsForChanges: number;
  /** Whether the engine that serves takes new connections; true where there is none. */
  readonly accepting: boolean;
  /** Files that it has open, and may have, when they were last counted; undefined where the system does not tell. */
  readonly files: { readonly open: number; readonly limit: number } | undefined;
  /** Ends of the engine by each known fault of it. */
  readonly faults: Readonly<Record<string, number>>;
}

/** The result of replacing all users. */
export interface UserReplacement {
  readonly refused: readonly RefusedUser[];
  /** Removed users, as messages without inbounds, then added and changed users; all others are unchanged. */
  readonly changed: readonly RawUser[];
}

/**
 * Statistics of the engine. Every call fails with BACKEND_NOT_RUNNING while the engine is down, and with
 * ENGINE_NOT_ANSWERING when it does not answer.
 */
export interface BackendStatistics {
  runtime(): Promise<BackendStatsResponse>;
  /** Addresses from which a user is connected, with the time last seen in unix seconds; empty for an unknown user. */
  onlineAddresses(email: string): Promise<ReadonlyMap<string, bigint>>;
  /** E-mails of all connected users. */
  onlineUsers(): Promise<string[]>;
  /** Latencies of the outbounds that the configuration measures. LATENCY_UNAVAILABLE when it measures none. */
  latencies(): Promise<Latency[]>;
}

/**
 * One proxy engine; only its implementation knows which. Users that the engine would refuse are refused one by one,
 * with a reason, and never reach it. Calls may overlap: they are carried out one after another.
 */
export interface ProxyBackend {
  readonly type: string;
  /** The engine's version; empty until it has run. */
  readonly version: string;
  /** Whether the engine is running. */
  readonly running: boolean;
  /** The users are empty before the first start and after a stop. */
  readonly users: ServedUsers;
  /** Number of restarts after an unexpected exit. */
  readonly restarts: number;
  /** How the engine last exited unexpectedly; empty when it never did. */
  readonly lastExit: string;
  /** Whether the engine kept failing with what was requested, and has not run with it for a while since. */
  readonly hasFallenBack: boolean;
  /** Current warnings for operators. */
  readonly warnings: readonly string[];
  readonly statistics: BackendStatistics;
  figures(): Promise<BackendFigures>;
  /**
   * Runs this configuration with exactly these users, instead of the current one. After a NodeError (CONFIG_REFUSED,
   * START_FAILED) the previous configuration still runs.
   */
  start(config: BackendConfig, users: readonly RawUser[]): Promise<RefusedUser[]>;
  /** Replaces all users by exactly these, by applying the difference. Refused users are not served. */
  replaceUsers(users: readonly RawUser[]): Promise<UserReplacement>;
  /**
   * Adds and changes users, and removes those without inbounds; a user may take a credential that another one of the
   * call gives up. A refused user stays unchanged. Each e-mail may occur at most once.
   */
  changeUsers(users: readonly RawUser[]): Promise<RefusedUser[]>;
  /**
   * The traffic since the last reading, of each engine that runs; empty while none does. ENGINE_NOT_ANSWERING when the
   * serving engine does not answer; readings of other engines are then part of the next answer.
   */
  readTraffic(): Promise<TrafficReading[]>;
  /**
   * Prepares the first start. Ends engines that a dead node with the same data directory left behind: they would go on
   * serving. Problems are reported by the start.
   */
  prepare(): Promise<void>;
  /**
   * Aborts a start that is under way with SHUTTING_DOWN or this reason, so that `stop` does not have to wait for it.
   */
  abortStart(reason?: NodeError): void;
  /**
   * Fetches a URL through the outbounds of a client, in a client engine of its own; the serving engine has no part in it.
   * INVALID_ARGUMENT for a request that no management sends, TOO_MANY_PROBES when too many wait.
   */
  probe(request: ProbeRequest): Promise<ProbeResponse>;
  /** Ends all probes with SHUTTING_DOWN; later ones are refused. */
  endProbes(): Promise<void>;
  /** Ends the engine and its connections, after a last reading. Succeeds when no engine runs. */
  stop(): Promise<void>;
  /** Ends engines that an earlier node has left, including one that a start has taken over before it failed. */
  endLeftEngines(): Promise<void>;
  /**
   * Leaves the engine and its connections to the next node, after a last reading. An engine that cannot outlive this
   * process is ended.
   */
  leave(): Promise<void>;
}
