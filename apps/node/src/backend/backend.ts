import type { Proxy as Credentials, RefusedUser } from '@rampart/node-client';

/** A user as every backend gets it. Credentials that an inbound's protocol does not know are ignored there. */
export interface BackendUser {
  /** The user's name towards the engine and in every statistic. */
  readonly email: string;
  readonly credentials: Credentials;
  /** Tags of the inbounds that the user may use. A tag that the configuration does not have is remembered, not an error. */
  readonly inbounds: readonly string[];
}

export interface BackendConfig {
  /** The configuration in the engine's own language. */
  readonly text: string;
  /** Tags of inbounds whose users stay as the configuration has them. */
  readonly excludedInbounds: readonly string[];
}

export interface Bytes {
  uplink: bigint;
  downlink: bigint;
}

/** Bytes by name since the reading before. */
export interface TrafficReading {
  readonly users: ReadonlyMap<string, Bytes>;
  readonly inbounds: ReadonlyMap<string, Bytes>;
  readonly outbounds: ReadonlyMap<string, Bytes>;
}

/** Where a backend puts what it has to say without being asked. */
export interface BackendEvents {
  log(line: string): void;
  /** Called with every byte exactly once, also right before the engine is ended. */
  traffic(reading: TrafficReading): void;
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
  /**
   * Runs this configuration with exactly these users, instead of what ran before. On a NodeError (CONFIG_REFUSED,
   * START_FAILED) what ran before still runs.
   */
  start(config: BackendConfig, users: readonly BackendUser[]): Promise<RefusedUser[]>;
  /** Makes the users exactly these, by difference; those refused are not served. */
  replaceUsers(users: readonly BackendUser[]): Promise<RefusedUser[]>;
  /**
   * Adds and changes users, and removes those without inbounds; each may take what another one gives up. A refused user
   * stays as it was. Each e-mail at most once.
   */
  changeUsers(users: readonly BackendUser[]): Promise<RefusedUser[]>;
  /** Reads the traffic since the last reading into `BackendEvents.traffic`; nothing while the engine is down. */
  readTraffic(): Promise<void>;
  /** Ends the engine and its connections, after a last reading. Succeeds when nothing runs. */
  stop(): Promise<void>;
}
