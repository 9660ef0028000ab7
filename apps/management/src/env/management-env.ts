import {
  type Environment,
  IsBetween,
  type ListenSettings,
  NeedsSetting,
  parseBoolean,
  parseInteger,
  parseList,
  readSecret,
  readSettings,
  Setting,
  settingsTable,
} from '@rampart/program';
import { IsBoolean, IsIn, IsOptional, IsUrl, Matches, MinLength, ValidateBy } from 'class-validator';
import { adminNameProblem } from '../validation/admin-name.js';
import { passwordProblem } from '../validation/password-rule.js';
import { webUrl } from '../validation/web-url.js';
import { type DatabaseSettings, DEFAULT_SETTINGS } from './database-settings.js';
import { AreNetworks, IsKey, IsPostgresUrl, key } from './env-rules.js';

const PATH = { message: 'must be a path' };
const WEB_URL = {
  protocols: ['http', 'https'],
  require_protocol: true,
  require_tld: false,
  allow_query_components: false,
  allow_fragments: false,
};

/** The two variables of the first admin need each other, and the password its rule. */
const FirstAdmin = (problem: (username?: string, password?: string) => string | undefined): PropertyDecorator => {
  const problemOf = (env: object): string | undefined =>
    env instanceof ManagementEnv ? problem(env.adminUsername, env.adminPassword) : undefined;
  return ValidateBy({
    name: 'firstAdmin',
    validator: {
      validate: (_, args) => problemOf(args?.object ?? {}) === undefined,
      defaultMessage: (args) => problemOf(args?.object ?? {}) ?? '',
    },
  });
};

/** The way past a pooler is none without the pooler. */
const NeedsDatabaseUrl = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'needsDatabaseUrl',
      validator: {
        validate: (direct, args) =>
          direct === undefined || Reflect.get(args?.object ?? {}, 'databaseUrl') !== undefined,
      },
    },
    { message: 'needs DATABASE_URL beside it, which names the pooler' },
  );

/** Everything that an operator can set. The only reader of process.env in this app is readManagementEnv. */
export class ManagementEnv {
  @Setting({
    name: 'RAMPART_HOST',
    help: 'address to listen on; with RAMPART_TLS_CERT the default is 0.0.0.0',
    fallback: '127.0.0.1',
    derive: ({ RAMPART_TLS_CERT: cert }) => (cert ? '0.0.0.0' : undefined),
  })
  @Matches(/^[\w.:-]+$/, { message: 'must be an IP address or a host name' })
  readonly host: string;

  @Setting({ name: 'RAMPART_PORT', help: 'port to listen on', fallback: '8000', parse: parseInteger })
  @IsBetween(0, 65_535)
  readonly port: number;

  @Setting({ name: 'RAMPART_TLS_CERT', help: 'certificate file in PEM form: HTTPS; without it plain HTTP' })
  @NeedsSetting('tlsKey', 'RAMPART_TLS_KEY')
  readonly tlsCert: string | undefined;

  @Setting({ name: 'RAMPART_TLS_KEY', help: 'its private key file in PEM form; both are read again when they change' })
  @NeedsSetting('tlsCert', 'RAMPART_TLS_CERT')
  readonly tlsKey: string | undefined;

  @Setting({
    name: 'RAMPART_MAX_SOCKETS',
    help: 'connections open at once; fewer where the limit of open files demands it',
    fallback: '16384',
    parse: parseInteger,
  })
  @IsBetween(16, 1_000_000)
  readonly maxSockets: number;

  @Setting({
    name: 'RAMPART_MAX_SOCKETS_PER_ADDRESS',
    help: 'of these, from one address, or one /64 of IPv6; this machine and RAMPART_TRUSTED_PROXIES may open more',
    fallback: '1024',
    parse: parseInteger,
  })
  @IsBetween(1, 1_000_000)
  readonly maxSocketsPerAddress: number;

  @Setting({ name: 'RAMPART_DATA_DIR', help: 'folder of keys and database', fallback: './data/management' })
  @MinLength(1, PATH)
  readonly dataDir: string;

  @Setting({ name: 'DATABASE_URL', help: 'a PostgreSQL server; without it one runs in the data folder', secret: true })
  @IsOptional()
  @IsPostgresUrl()
  readonly databaseUrl: string | undefined;

  @Setting({
    name: 'DATABASE_DIRECT_URL',
    secret: true,
    help: 'the same database past a transaction pooler such as PgBouncer, which DATABASE_URL then names',
  })
  @NeedsDatabaseUrl()
  @IsOptional()
  @IsPostgresUrl()
  readonly databaseDirectUrl: string | undefined;

  @Setting({
    name: 'RAMPART_DATABASE_WRITES',
    help: 'database connections for changes, and so many are made at once',
    fallback: `${DEFAULT_SETTINGS.writeConnections}`,
    parse: parseInteger,
  })
  @IsBetween(2, 100)
  readonly databaseWrites: number;

  @Setting({
    name: 'RAMPART_DATABASE_READS',
    help: 'database connections for lists and other reads, which changes cannot take',
    fallback: `${DEFAULT_SETTINGS.readConnections}`,
    parse: parseInteger,
  })
  @IsBetween(2, 100)
  readonly databaseReads: number;

  @Setting({
    name: 'RAMPART_DATABASE_SUBSCRIPTIONS',
    help: 'database connections for subscriptions and for access checks, which nothing else can take',
    fallback: `${DEFAULT_SETTINGS.subscriptionConnections}`,
    parse: parseInteger,
  })
  @IsBetween(2, 100)
  readonly databaseSubscriptions: number;

  @Setting({
    name: 'RAMPART_WAITING_CHANGES',
    help: 'how many changes may wait for a connection; one more is answered with 503',
    fallback: `${DEFAULT_SETTINGS.waitingChanges}`,
    parse: parseInteger,
  })
  @IsBetween(1, 100_000)
  readonly waitingChanges: number;

  @Setting({
    name: 'RAMPART_STATEMENT_SECONDS',
    help: 'after so long the database ends a statement, and the request is answered with 503',
    fallback: `${DEFAULT_SETTINGS.statementSeconds}`,
    parse: parseInteger,
  })
  @IsBetween(1, 3_600)
  readonly statementSeconds: number;

  @Setting({
    name: 'RAMPART_LOCK_SECONDS',
    help: 'the same for the wait for what another change holds',
    fallback: `${DEFAULT_SETTINGS.lockSeconds}`,
    parse: parseInteger,
  })
  @IsBetween(1, 3_600)
  readonly lockSeconds: number;

  @Setting({ name: 'RAMPART_ADMIN_USERNAME', help: 'sudo admin that is created when there is none' })
  @FirstAdmin((username, password) => {
    if (username === undefined) return password === undefined ? undefined : 'is required beside RAMPART_ADMIN_PASSWORD';
    const problem = adminNameProblem(username);
    return problem && `is refused: ${problem}`;
  })
  readonly adminUsername: string | undefined;

  @Setting({ name: 'RAMPART_ADMIN_PASSWORD', help: 'its password, at least 12 characters', secret: true })
  @FirstAdmin((username, password) => {
    if (password === undefined) return username === undefined ? undefined : 'is required beside RAMPART_ADMIN_USERNAME';
    const problem = passwordProblem(password, username ?? '');
    return problem && `is refused: ${problem}`;
  })
  readonly adminPassword: string | undefined;

  @Setting({
    name: 'RAMPART_PUBLIC_URL',
    help: 'prefix of subscription URLs; without it http or https, an address of this machine and the port',
    parse: webUrl,
  })
  @IsOptional()
  @IsUrl(WEB_URL, { message: 'must be an http or https URL without query' })
  readonly publicUrl: string | undefined;

  @Setting({ name: 'RAMPART_NODE_ADDRESSES', help: 'any, or public: no nodes at private addresses', fallback: 'any' })
  @IsIn(['any', 'public'], { message: 'must be any or public' })
  readonly nodeAddresses: 'any' | 'public';

  @Setting({ name: 'RAMPART_CERTS_DIR', help: 'the only folder from which core configurations may name certificates' })
  @IsOptional()
  @MinLength(1, PATH)
  readonly certsDir: string | undefined;

  @Setting({
    name: 'RAMPART_JWT_KEY',
    help: 'signs admin tokens: 32 bytes in base64; else made once',
    parse: key,
    secret: true,
  })
  @IsOptional()
  @IsKey()
  readonly jwtKey: Buffer | undefined;

  @Setting({
    name: 'RAMPART_JWT_KEY_PREVIOUS',
    help: 'the key before, whose tokens are accepted until it is taken away',
    parse: key,
    secret: true,
  })
  @IsOptional()
  @IsKey()
  readonly previousJwtKey: Buffer | undefined;

  @Setting({
    name: 'RAMPART_SUBSCRIPTION_KEY',
    help: 'signs subscription links, in the same way',
    parse: key,
    secret: true,
  })
  @IsOptional()
  @IsKey()
  readonly subscriptionKey: Buffer | undefined;

  @Setting({
    name: 'RAMPART_SUBSCRIPTION_KEY_PREVIOUS',
    help: 'the key before, whose links are accepted until it is taken away',
    parse: key,
    secret: true,
  })
  @IsOptional()
  @IsKey()
  readonly previousSubscriptionKey: Buffer | undefined;

  @Setting({
    name: 'RAMPART_AT_REST_KEY',
    help: 'seals secrets in the database, in the same way',
    parse: key,
    secret: true,
  })
  @IsOptional()
  @IsKey()
  readonly atRestKey: Buffer | undefined;

  @Setting({
    name: 'RAMPART_AT_REST_KEY_PREVIOUS',
    help: 'the key before: what it sealed is sealed anew at the start',
    parse: key,
    secret: true,
  })
  @IsOptional()
  @IsKey()
  readonly previousAtRestKey: Buffer | undefined;

  @Setting({
    name: 'RAMPART_TOKEN_MINUTES',
    help: 'how long an admin token lasts',
    fallback: '1440',
    parse: parseInteger,
  })
  @IsBetween(1, 525_600)
  readonly tokenMinutes: number;

  @Setting({
    name: 'RAMPART_LOGIN_NAME_FAILURES',
    help: 'failed logins after which a username has to wait in their network (/24, or /48 of IPv6)',
    fallback: '5',
    parse: parseInteger,
  })
  @IsBetween(1, 1_000_000)
  readonly loginNameFailures: number;

  @Setting({
    name: 'RAMPART_LOGIN_NAME_TOTAL_FAILURES',
    help: 'the same for a username in all networks together',
    fallback: '1000',
    parse: parseInteger,
  })
  @IsBetween(1, 1_000_000)
  readonly loginNameTotalFailures: number;

  @Setting({
    name: 'RAMPART_LOGIN_ADDRESS_FAILURES',
    help: 'the same for an address, or for a /64 of IPv6, whatever the usernames',
    fallback: '20',
    parse: parseInteger,
  })
  @IsBetween(1, 1_000_000)
  readonly loginAddressFailures: number;

  @Setting({ name: 'RAMPART_LOGIN_MINUTES', help: 'for how long they count', fallback: '15', parse: parseInteger })
  @IsBetween(1, 1_440)
  readonly loginMinutes: number;

  @Setting({
    name: 'RAMPART_TRUSTED_PROXIES',
    help: 'proxies whose X-Forwarded-For is believed: addresses and networks, with commas',
    parse: parseList,
  })
  @IsOptional()
  @AreNetworks()
  readonly trustedProxies: string[] | undefined;

  @Setting({
    name: 'RAMPART_BODY_LIMIT_MIB',
    help: 'the largest body where only sudo admins may call, in MiB; elsewhere it is 1, of a login 64 KiB',
    fallback: '16',
    parse: parseInteger,
  })
  @IsBetween(1, 256)
  readonly bodyLimitMib: number;

  @Setting({
    name: 'RAMPART_CORS_ORIGINS',
    help: 'web origins whose pages may call the API, such as https://panel.example, with commas; without it none',
    parse: (text) => parseList(text.toLowerCase()),
  })
  @IsOptional()
  @Matches(/^https?:\/\/[^/\s*]+$/, { each: true, message: 'must be origins such as https://panel.example' })
  readonly corsOrigins: string[] | undefined;

  @Setting({
    name: 'RAMPART_AUTO_DELETE_DAYS',
    help: 'days after which expired users are deleted, unless a user has days of its own; without it never',
    parse: parseInteger,
  })
  @IsOptional()
  @IsBetween(0, 36_500)
  readonly autoDeleteDays: number | undefined;

  @Setting({
    name: 'RAMPART_AUTO_DELETE_LIMITED',
    help: 'true: also users whose traffic is used up are deleted so',
    fallback: 'false',
    parse: parseBoolean,
  })
  @IsBoolean({ message: 'must be true or false' })
  readonly autoDeleteLimited: boolean;

  @Setting({
    name: 'RAMPART_DOCS',
    help: 'true: /api/docs shows the API to all; else only sudo admins get /api/openapi.json',
    fallback: 'false',
    parse: parseBoolean,
  })
  @IsBoolean({ message: 'must be true or false' })
  readonly docs: boolean;

  @Setting({
    name: 'RAMPART_USAGE_DAYS',
    help: 'how many days the history of usage reaches back',
    fallback: '90',
    parse: parseInteger,
  })
  @IsBetween(1, 366)
  readonly usageDays: number;

  @Setting({
    name: 'RAMPART_AUDIT_DAYS',
    help: 'how many days the audit log reaches back at least; it is forgotten by whole months',
    fallback: '365',
    parse: parseInteger,
  })
  @IsBetween(1, 3_660)
  readonly auditDays: number;

  @Setting({
    name: 'RAMPART_RESET_LOG_DAYS',
    help: 'the same for the log of traffic that was reset, of users and of admins',
    fallback: '365',
    parse: parseInteger,
  })
  @IsBetween(1, 3_660)
  readonly resetLogDays: number;

  /** How the database is connected to. */
  get databaseSettings(): Partial<DatabaseSettings> {
    return {
      writeConnections: this.databaseWrites,
      readConnections: this.databaseReads,
      subscriptionConnections: this.databaseSubscriptions,
      waitingChanges: this.waitingChanges,
      statementSeconds: this.statementSeconds,
      lockSeconds: this.lockSeconds,
    };
  }

  /** What the port speaks. */
  get scheme(): 'http' | 'https' {
    return this.tlsCert === undefined ? 'http' : 'https';
  }

  /** Where to listen. */
  get address(): ListenSettings {
    const { host, port } = this;
    return { host, port, hostSetting: 'RAMPART_HOST', portSetting: 'RAMPART_PORT' };
  }
}

/** @throws SettingsError */
export function readManagementEnv(source: Environment = process.env): ManagementEnv {
  return readSettings(ManagementEnv, source);
}

/**
 * The same for a command about one admin, whose password is asked for where no setting holds it. Beside a username it is
 * that of the first admin, which stands in the environment of the service.
 */
export async function readAdminCommandEnv(
  username: string,
  ask: () => Promise<string>,
  source: Environment = process.env,
): Promise<{ env: ManagementEnv; password: string }> {
  const set = source['RAMPART_ADMIN_USERNAME'] ? undefined : readSecret(source, 'RAMPART_ADMIN_PASSWORD');
  const password = set ?? (await ask());
  const given = { RAMPART_ADMIN_USERNAME: username, RAMPART_ADMIN_PASSWORD: password };
  return { env: readManagementEnv({ ...source, RAMPART_ADMIN_PASSWORD_FILE: '', ...given }), password };
}

/** The text of --help. */
export const managementHelp = (): string => `Usage: rampart-management [--help]
       rampart-management admin create [--sudo] <username>
       rampart-management admin password <username>
       rampart-management keys forget

Serves the API and subscriptions, keeps the database and directs the nodes. The commands create an admin and change a
password, which also ends a wait after failed logins. They read it from standard input, or from RAMPART_ADMIN_PASSWORD
where that stands without RAMPART_ADMIN_USERNAME; without DATABASE_URL they work while the service is stopped.

A key is replaced by one of your own, with the old one as its _PREVIOUS. Where several replicas run, each first gets the new
one as _PREVIOUS, so that all of them know it before one begins to use it. The database keeps the ids of the keys that it is
used with: a replica with other keys, or without a lost keys.json, refuses to start. "keys forget" lets it start with other
keys: what was made with the lost ones (logins, subscription links, API keys of nodes) is lost then.

Settings are environment variables:

${settingsTable(ManagementEnv)}

What DATABASE_URL leaves out is read from PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE and PGSSLMODE. Calls to nodes over gRPC
go through the proxy that grpc_proxy or https_proxy names, but for hosts in no_grpc_proxy or no_proxy. NO_COLOR=1 takes the colours
out of the log on a terminal. Node.js reads variables of its own, such as NODE_OPTIONS.
`;
