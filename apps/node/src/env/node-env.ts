import { homedir, hostname, networkInterfaces } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { apiKeyProblem, ENROLMENT_VARIABLE, type Enrolment } from '@rampart/node-client';
import {
  AreNetworks,
  describeSettings,
  type Environment,
  IsBetween,
  type ListenSettings,
  NeedsSetting,
  parseBoolean,
  parseInteger,
  parseList,
  readSettings,
  Setting,
  type SettingDescription,
  secretValues,
  settingsTable,
} from '@rampart/program';
import {
  ArrayNotEmpty,
  IsBoolean,
  IsIn,
  IsIP,
  IsOptional,
  IsString,
  Matches,
  MinLength,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import {
  AgreesWithEnrolment,
  enrolmentIn,
  IsEnrolment,
  NotBesideEnrolment,
  parseEnrolment,
} from './enrolment-setting.js';
import { MetricsEnv } from './metrics-env.js';
import { ENGINE_VARIABLES, type EngineAccount, type NodeSettings } from './node.settings.js';

export type NodeProtocol = 'both' | 'grpc' | 'rest';

const IsApiKey = (): PropertyDecorator =>
  ValidateBy({
    name: 'isApiKey',
    validator: {
      validate: (value) => typeof value === 'string' && apiKeyProblem(value) === undefined,
      defaultMessage: (args) =>
        (typeof args?.value === 'string' ? apiKeyProblem(args.value) : undefined) ??
        `is required without ${ENROLMENT_VARIABLE}, which "rampart node add NAME" of management prints`,
    },
  });

/** Whether the machine has an IPv6 address but no IPv4 address; its loopback does not count as IPv4. */
function isReachedByIpv6Alone(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const hasIpv4 = addresses.some(({ family, internal }) => family === 'IPv4' && !internal);
  return !hasIpv4 && addresses.some(({ family }) => family === 'IPv6');
}

/** All settings of the node. Only readNodeEnv reads process.env in this app. */
export class NodeEnv extends MetricsEnv {
  @Setting({
    name: ENROLMENT_VARIABLE,
    help: 'what management shows once for a new node: its key, port and certificates; no other setting is needed with it',
    secret: true,
    parse: parseEnrolment,
  })
  @IsOptional()
  @IsEnrolment()
  readonly enrolment: Enrolment | undefined;

  @Setting({
    name: 'RAMPART_API_KEY',
    help: `key that management sends; 16 to 256 characters, required without ${ENROLMENT_VARIABLE}`,
    secret: true,
    derive: (source) => enrolmentIn(source)?.apiKey,
  })
  @ValidateIf(({ enrolment, apiKey }: NodeEnv) => enrolment === undefined || apiKey !== undefined)
  @IsApiKey()
  @AgreesWithEnrolment('apiKey')
  readonly apiKey: string;

  @Setting({
    name: 'RAMPART_API_KEY_PREVIOUS',
    help: 'previous key, accepted beside the current one while it is set',
    secret: true,
  })
  @IsOptional()
  @IsApiKey()
  readonly previousApiKey: string | undefined;

  @Setting({
    name: 'RAMPART_NODE_HOST',
    help: 'address to listen on; :: takes IPv4 too, and is the default where the machine has no IPv4 address',
    derive: () => (isReachedByIpv6Alone() ? '::' : undefined),
    fallback: '0.0.0.0',
  })
  @IsIP(undefined, { message: 'must be an IP address, such as 0.0.0.0 or ::' })
  readonly host: string;

  @Setting({
    name: 'RAMPART_NODE_PORT',
    help: 'port for REST and gRPC',
    fallback: '62050',
    derive: (source) => enrolmentIn(source)?.port.toString(),
    parse: parseInteger,
  })
  @IsBetween(0, 65_535)
  @AgreesWithEnrolment('port')
  readonly port: number;

  @Setting({ name: 'RAMPART_NODE_PROTOCOL', help: 'what the port speaks: both, grpc or rest', fallback: 'both' })
  @IsIn(['both', 'grpc', 'rest'], { message: 'must be both, grpc or rest' })
  readonly protocol: NodeProtocol;

  @Setting({ name: 'RAMPART_NODE_DATA_DIR', help: 'data folder of the node', fallback: './data/node' })
  @MinLength(1, { message: 'must be a path' })
  readonly dataDir: string;

  @Setting({
    name: 'RAMPART_NODE_TLS_CERT',
    help: 'certificate file in PEM form; without it a self-signed one is made',
  })
  @NeedsSetting('tlsKey', 'RAMPART_NODE_TLS_KEY')
  @NotBesideEnrolment()
  readonly tlsCert: string | undefined;

  @Setting({ name: 'RAMPART_NODE_TLS_KEY', help: 'private key file of the certificate, in PEM form' })
  @NeedsSetting('tlsCert', 'RAMPART_NODE_TLS_CERT')
  @NotBesideEnrolment()
  readonly tlsKey: string | undefined;

  @Setting({
    name: 'RAMPART_NODE_TLS_CLIENT_CA',
    help: 'CA file in PEM form; callers must present a certificate that it has issued. Without it none is required',
  })
  @NotBesideEnrolment()
  readonly tlsClientCa: string | undefined;

  @Setting({
    name: 'RAMPART_NODE_NAMES',
    help: 'names in the self-signed certificate, separated by commas; by default localhost, 127.0.0.1, ::1 and the host name',
    derive: () => `localhost,127.0.0.1,::1,${hostname()}`,
    parse: (text) => parseList(text).filter((name) => name !== ''),
  })
  @ArrayNotEmpty({ message: 'must name at least one host' })
  @Matches(/^[A-Za-z0-9*._:-]+$/, { each: true, message: 'must be names and addresses with commas between' })
  readonly names: readonly string[];

  @Setting({
    name: 'RAMPART_NODE_KEY_SECONDS',
    help: 'seconds after which a connection is closed that has not shown the key',
    fallback: '20',
    parse: parseInteger,
  })
  @IsBetween(1, 600)
  readonly keySeconds: number;

  @Setting({
    name: 'RAMPART_NODE_MAX_SOCKETS',
    help: 'maximum number of open connections; lower where the limit of open files requires it',
    fallback: '4096',
    parse: parseInteger,
  })
  @IsBetween(16, 1_000_000)
  readonly maxSockets: number;

  @Setting({
    name: 'RAMPART_NODE_MAX_KEYLESS',
    help: 'maximum number of connections that have not shown the key; the oldest is closed for a new one',
    fallback: '1024',
    parse: parseInteger,
  })
  @IsBetween(4, 1_000_000)
  readonly maxKeylessSockets: number;

  @Setting({
    name: 'RAMPART_NODE_MAX_PER_ADDRESS',
    help: 'maximum number of such connections from one address, or one /64 of IPv6; this machine itself may open more',
    fallback: '256',
    parse: parseInteger,
  })
  @IsBetween(1, 1_000_000)
  readonly maxKeylessPerAddress: number;

  @Setting({
    name: 'RAMPART_NODE_LOG_READERS',
    help: 'maximum number of open log streams',
    fallback: '1024',
    parse: parseInteger,
  })
  @IsBetween(1, 65_535)
  readonly logReaders: number;

  @Setting({
    name: 'RAMPART_NODE_TRAFFIC_SECONDS',
    help: "seconds between two readings of the engine's counters, more where a reading takes long; a crash of the engine loses the traffic of at most this time",
    fallback: '1',
    parse: parseInteger,
  })
  @IsBetween(1, 3600)
  readonly trafficSeconds: number;

  @Setting({
    name: 'RAMPART_NODE_DRAIN_SECONDS',
    help: 'seconds for which connections may live on after the configuration has changed',
    fallback: '3600',
    parse: parseInteger,
  })
  @IsBetween(0, 604_800)
  readonly drainSeconds: number;

  @Setting({
    name: 'RAMPART_PROBE_NETWORKS',
    help: 'networks that probes of hosts may enter although they are not public, such as 10.0.0.0/8, with commas between',
    fallback: '',
    parse: (text) => parseList(text).filter((network) => network !== ''),
  })
  @AreNetworks()
  readonly probeNetworks: readonly string[];

  @Setting({
    name: 'RAMPART_NODE_KEEP_SECONDS',
    help: 'seconds for which the engine serves without a node after a crash or SIGTERM, until the next one takes it over; 0: none',
    fallback: '300',
    parse: parseInteger,
  })
  @ValidateBy({
    name: 'isKeepSeconds',
    validator: {
      validate: (value) => Number.isInteger(value) && (value === 0 || (value >= 10 && value <= 86_400)),
      defaultMessage: () => 'must be 0, or a number from 10 to 86400',
    },
  })
  readonly keepSeconds: number;

  @Setting({
    name: 'RAMPART_NODE_TAKE_OVER',
    help: 'whether to take over from a running node with the same data folder, with its connections: see docs/operators.md',
    fallback: 'false',
    parse: parseBoolean,
  })
  @IsBoolean({ message: 'must be true or false' })
  readonly takesOver: boolean;

  @Setting({
    name: 'RAMPART_CACHE_DIR',
    help: 'folder of installed engines; by default $XDG_CACHE_HOME/rampart, else ~/.cache/rampart',
    derive: cacheFolder,
  })
  @IsString({ message: 'must be a path: this user has no home folder' })
  readonly cacheDir: string;

  @Setting({ name: 'XRAY_EXECUTABLE_PATH', help: 'path of the engine; without it PATH and the cache are searched' })
  readonly xrayExecutablePath: string | undefined;

  @Setting({ name: 'XRAY_LOCATION_ASSET', help: 'folder of geoip.dat and geosite.dat' })
  readonly xrayLocationAsset: string | undefined;

  @Setting({
    name: 'RAMPART_NODE_ENGINE_USER',
    help: "uid or uid:gid of the engine's process where the node is root; 0: the node's own account",
    fallback: '61080:61080',
  })
  @Matches(/^\d{1,9}(?::\d{1,9})?$/, { message: 'must be a number or two with a colon between, such as 61080:61080' })
  readonly engineUser: string;

  @Setting({
    name: 'RAMPART_NODE_ENGINE_FILES',
    help: 'maximum number of files that the engine has open, two for most connections of users; by default half of the memory at 65 kB each',
    parse: parseInteger,
  })
  @IsOptional()
  @IsBetween(256, 10_000_000)
  readonly engineFiles: number | undefined;

  @Setting({
    name: 'RAMPART_NODE_SYSCTL',
    help: 'whether the node may enable net.ipv4.tcp_migrate_req, by which opening connections survive a change',
    fallback: 'true',
    parse: parseBoolean,
  })
  @IsBoolean({ message: 'must be true or false' })
  readonly sysctl: boolean;

  @Setting({ name: 'PATH', help: 'directories that are searched for the engine', derive: () => '' })
  readonly searchPath: string;

  /** Variables that the engine inherits. */
  readonly engineVariables: Readonly<Record<string, string>>;

  /** All accepted API keys. */
  get apiKeys(): string[] {
    return [this.apiKey, this.previousApiKey].filter((key) => key !== undefined);
  }

  /** The address to listen on. */
  get address(): ListenSettings {
    const { host, port } = this;
    return { host, port, hostSetting: 'RAMPART_NODE_HOST', portSetting: 'RAMPART_NODE_PORT' };
  }

  /** The account of the engine's process; undefined means the node's own account. */
  private get engineAccount(): EngineAccount | undefined {
    const [uid = 0, gid = uid] = this.engineUser.split(':').map(Number);
    return uid === 0 ? undefined : { uid, gid };
  }

  /** The settings of NodeService and its parts. */
  get settings(): NodeSettings {
    return {
      dataDir: this.dataDir,
      maxLogReaders: this.logReaders,
      drainMs: this.drainSeconds * 1000,
      keepSeconds: this.keepSeconds,
      takesOver: this.takesOver,
      drainIntervalMs: this.trafficSeconds * 1000,
      setsKernel: this.sysctl,
      probeNetworks: this.probeNetworks,
      engine: {
        ...(this.xrayExecutablePath === undefined ? {} : { executablePath: this.xrayExecutablePath }),
        ...(this.engineAccount === undefined ? {} : { account: this.engineAccount }),
        ...(this.engineFiles === undefined ? {} : { files: this.engineFiles }),
        searchPath: this.searchPath,
        cacheDir: this.cacheDir,
        environment: this.engineVariables,
      },
    };
  }
}

/** @throws SettingsError */
export function readNodeEnv(source: Environment = process.env): NodeEnv {
  const env = readSettings(NodeEnv, source);
  return Object.assign(env, { engineVariables: inherited(source) });
}

/** Every setting as an operator sees it, without secrets. */
export const describeNodeEnv = (source: Environment = process.env): SettingDescription[] =>
  describeSettings(NodeEnv, source);

/** The values of all secrets in the settings, and what an enrolment brings, which no log line may contain. */
export const nodeSecrets = ({ apiKeys }: NodeEnv, source: Environment = process.env): string[] => [
  ...secretValues(NodeEnv, source),
  ...apiKeys,
];

function inherited(source: Environment): Record<string, string> {
  return Object.fromEntries(ENGINE_VARIABLES.flatMap((name) => (source[name] ? [[name, source[name]]] : [])));
}

/** The same directory as the engine's installer uses. A user id without an entry in the user database has no home. */
function cacheFolder({ XDG_CACHE_HOME: shared, HOME: home }: Environment): string | undefined {
  try {
    return join(shared && isAbsolute(shared) ? shared : join(home || homedir(), '.cache'), 'rampart');
  } catch {
    return undefined;
  }
}

/** The text of --help. */
export const nodeHelp = (): string => `Usage: rampart-node [--help]

Runs one proxy engine and serves its REST and gRPC API on one TLS port. Settings are environment variables:

${settingsTable(NodeEnv)}

The engine inherits these variables, and no others: ${ENGINE_VARIABLES.join(', ')}.
Without GOMEMLIMIT it gets one from the memory limit of the node's container; without XRAY_BUF_SPLICE it runs with "disable".
TMPDIR also holds the engine's socket where the data folder cannot. NO_COLOR=1 disables colours in the log on a terminal.
Node.js and its gRPC library read variables of their own, such as NODE_OPTIONS and GRPC_VERBOSITY.
`;
