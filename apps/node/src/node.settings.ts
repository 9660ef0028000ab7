/** What a node needs to know about its surroundings; the doors fill it from the environment. */
export interface NodeSettings {
  /** A directory of this node alone, created when missing. Two nodes must not share it. */
  readonly dataDir: string;
  readonly engine: EngineSettings;
  /** Readers of the log at the same time. Default 1,024. */
  readonly maxLogReaders?: number;
  /** Between two readings of the engine's counters: what a crash of the engine loses at most. Default 2 s. */
  readonly drainIntervalMs?: number;
  /** How long connections on an engine that was replaced may live on. Default an hour. */
  readonly drainMs?: number;
  /** How long an engine must run for its state to count as a good one. Default 30 s. */
  readonly stableMs?: number;
  /** Whether the node may turn on kernel settings that it needs. Default true. */
  readonly setsKernel?: boolean;
  /** Bytes of memory that another engine may take. Default: what the machine and its cgroups leave. */
  readonly availableMemory?: () => number;
}

/** By number: no user database need know it. */
export interface EngineAccount {
  readonly uid: number;
  readonly gid: number;
}

export interface EngineSettings {
  /** `XRAY_EXECUTABLE_PATH`: the engine to run, looked for nowhere else when set. */
  readonly executablePath?: string;
  /** Under which the engine runs where the node is root; without it, and elsewhere, the node's own. */
  readonly account?: EngineAccount;
  /** `PATH`: directories, joined as the platform does. */
  readonly searchPath: string;
  /** `RAMPART_CACHE_DIR`, else `$XDG_CACHE_HOME/rampart`, else `~/.cache/rampart`. */
  readonly cacheDir: string;
  /** Variables handed to the engine as they are, like `XRAY_LOCATION_ASSET`. Never the node's own secrets. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Names of the variables that belong into `EngineSettings.environment`. */
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
