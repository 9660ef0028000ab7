import type { Clock } from '../concurrency/clock.js';

/** The settings of NodeService and its parts; node-env.ts fills them from the environment. */
export interface NodeSettings {
  /** A directory of this node alone, created when missing. */
  readonly dataDir: string;
  readonly engine: EngineSettings;
  /** Maximum number of log readers. Default 1,024. */
  readonly maxLogReaders?: number;
  /**
   * Interval between readings of the engine's counters, which is the most that a crash of the engine loses. Default 2
   * s.
   */
  readonly drainIntervalMs?: number;
  /** How long connections of a replaced engine may live on. Default 1 hour. */
  readonly drainMs?: number;
  /** Seconds for which the engine may run without a node; 0, the default: it ends with the node's process. */
  readonly keepSeconds?: number;
  /** Whether to take over from a node that uses the data directory. Default false. */
  readonly takesOver?: boolean;
  /** The clock by which the engine is supervised. By default that of the system. */
  readonly clock?: Clock;
  /** Whether the node may change kernel settings that it needs. Default true. */
  readonly setsKernel?: boolean;
  /** Networks that probes may enter although they are not public. Default: none. */
  readonly probeNetworks?: readonly string[];
  /** Bytes of memory available to a second engine. By default what the machine and its cgroups leave. */
  readonly availableMemory?: () => number;
}

/** An account by number, which needs no entry in the user database. */
export interface EngineAccount {
  readonly uid: number;
  readonly gid: number;
}

export interface EngineSettings {
  /** `XRAY_EXECUTABLE_PATH`: the engine to run; when it is set no other place is searched. */
  readonly executablePath?: string;
  /** The engine's account where the node is root; undefined means the node's own. */
  readonly account?: EngineAccount;
  /** `RAMPART_NODE_ENGINE_FILES`: how many files the engine may have open; by default as many as memory is there for. */
  readonly files?: number;
  /** `PATH`: directories, with the platform's separator. */
  readonly searchPath: string;
  /** `RAMPART_CACHE_DIR`, else `$XDG_CACHE_HOME/rampart`, else `~/.cache/rampart`. */
  readonly cacheDir: string;
  /** Variables that the engine inherits, like `XRAY_LOCATION_ASSET`. They never contain the node's own secrets. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Names of the variables in `EngineSettings.environment`. */
export const ENGINE_VARIABLES = [
  'HOME',
  'TMPDIR',
  'TZ',
  'GOMEMLIMIT',
  'GOMAXPROCS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'XRAY_LOCATION_ASSET',
  'XRAY_LOCATION_CERT',
  'XRAY_BUF_SPLICE',
] as const;
