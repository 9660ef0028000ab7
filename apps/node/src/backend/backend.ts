import type { BackendStatsResponse, Latency, RefusedUser } from '@rampart/node-client';
import type { NodeError } from '../errors/node-error.js';
import type { RawUser } from '../wire/raw-user.js';

export interface BackendConfig {
  /** The configuration in the engine's own language. */
  readonly text: string;
  /** Tags of inbounds whose users stay as the configuration has them. */
  readonly excludedInbounds: readonly string[];
}

export interface TrafficBytes {
  uplink: bigint;
  downlink: bigint;
}

/** Bytes by name since the reading before. */
export interface TrafficReading {
  readonly users: ReadonlyMap<string, TrafficBytes>;
  readonly inbounds: ReadonlyMap<string, TrafficBytes>;
  readonly outbounds: ReadonlyMap<string, TrafficBytes>;
}

/** Where a backend puts what it has to say without being asked. */
export interface BackendEvents {
  /** A line of the engine. */
  log(line: string): void;
  /** What the backend itself has to tell an operator. Without it, a marked line of the log. */
  note?(text: string): void;
  /** The last reading of an engine, right before it is ended. Every byte is in exactly one reading. */
  lastTraffic(reading: TrafficReading): void;
}

/** The users that a backend serves: wanted by the caller, and accepted. */
export interface ServedUsers {
  readonly count: number;
  /** Of all of them, see UsersDigest. */
  readonly digest: Uint8Array;
  /** Under exactly this e-mail. */
  hasUser(email: string): boolean;
  /** As they are now: whoever reads on later does not see what has changed meanwhile. */
  allUsers(): Iterable<RawUser>;
}

/** What became of a full set of users. */
export interface UserReplacement {
  readonly refused: readonly RefusedUser[];
  /** Those who went, without inbounds, then those who came or changed; all others are as they were. */
  readonly changed: readonly RawUser[];
}

/**
 * What the engine tells about itself. Everything is refused with BACKEND_NOT_RUNNING while the engine is down, and with
 * ENGINE_NOT_ANSWERING when it says nothing.
 */
export interface BackendStatistics {
  runtime(): Promise<BackendStatsResponse>;
  /** Where a user is connected from -> last seen, unix seconds; nothing for one who never came. */
  onlineAddresses(email: string): Promise<ReadonlyMap<string, bigint>>;
  /** E-mails of all who are connected. */
  onlineUsers(): Promise<string[]>;
  /** Of the outbounds that the configuration has measured. LATENCY_UNAVAILABLE when it measures none. */
  latencies(): Promise<Latency[]>;
}

/**
 * One proxy engine: the port to everything that knows its name. Users that the engine would refuse are refused one by
 * one, with a reason, and never reach it. Calls may overlap: they are carried out one after another.
 */
export interface ProxyBackend {
  readonly type: string;
  /** The engine's version; empty until it ran. */
  readonly version: string;
  /** Whether the engine serves at this moment. */
  readonly running: boolean;
  /** Nobody before the first start and after a stop. */
  readonly users: ServedUsers;
  /** How often the engine came up again without being asked to. */
  readonly restarts: number;
  /** How the engine ended last without being asked to; empty when it never did. */
  readonly lastExit: string;
  /** What an operator should know about this moment. */
  readonly warnings: readonly string[];
  readonly statistics: BackendStatistics;
  /**
   * Runs this configuration with exactly these users, instead of what ran before. On a NodeError (CONFIG_REFUSED,
   * START_FAILED) what ran before still runs.
   */
  start(config: BackendConfig, users: readonly RawUser[]): Promise<RefusedUser[]>;
  /** Makes the users exactly these, by difference; those refused are not served. */
  replaceUsers(users: readonly RawUser[]): Promise<UserReplacement>;
  /**
   * Adds and changes users, and removes those without inbounds; each may take what another one gives up. A refused user
   * stays as it was. Each e-mail at most once.
   */
  changeUsers(users: readonly RawUser[]): Promise<RefusedUser[]>;
  /**
   * The traffic since the last reading, of each engine that runs; empty while none does. ENGINE_NOT_ANSWERING when the
   * serving engine does not answer; readings of other engines are then part of the next answer.
   */
  readTraffic(): Promise<TrafficReading[]>;
  /**
   * Makes ready for the first start. Engines that a dead node of the same data directory left are ended: they would serve
   * on. What goes wrong is told by the start.
   */
  prepare(): Promise<void>;
  /** Lets a start that is under way fail, SHUTTING_DOWN or with this reason, so that `stop` has not to wait for it. */
  abortStart(reason?: NodeError): void;
  /** Ends the engine and its connections, after a last reading. Succeeds when nothing runs. */
  stop(): Promise<void>;
}
