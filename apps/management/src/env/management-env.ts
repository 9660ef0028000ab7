import { type ListenSettings, readSettings, Setting, settingsTable } from '@rampart/program';
import { IsInstance, IsInt, IsOptional, IsUrl, Matches, Max, Min, MinLength, ValidateBy } from 'class-validator';
import pg from 'pg';
import { passwordProblem } from '../admins/password-rule.js';
import { parseKey } from '../keys/keys.js';

const PORT = { message: 'must be an integer from 0 to 65535' };
const PATH = { message: 'must be a path' };
const WEB_URL = {
  protocols: ['http', 'https'],
  require_protocol: true,
  require_tld: false,
  allow_query_components: false,
  allow_fragments: false,
};

const number = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

/** As it stands in headers, where only ASCII may: international names in their other spelling. No slash at the end. */
function webUrl(text: string): string {
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).href : text;
  return url.replace(/\/+$/, '');
}

/** What is no key stays text, which the rule then refuses. */
const key = (text: string): Buffer | string => parseKey(text) ?? text;
const IsKey = (): PropertyDecorator => IsInstance(Buffer, { message: 'must be 32 bytes in base64' });

const IsPostgresUrl = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isPostgresUrl', validator: { validate: isPostgresUrl } },
    { message: 'must be like postgresql://user:password@host:5432/database' },
  );

function isPostgresUrl(text: string): boolean {
  try {
    new pg.Client(text);
    return /^postgres(ql)?:\/\/\S+$/.test(text);
  } catch {
    return false;
  }
}

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

/** Everything that an operator can set. The only reader of process.env in this app is readManagementEnv. */
export class ManagementEnv {
  @Setting({ name: 'RAMPART_HOST', help: 'address to listen on', fallback: '0.0.0.0' })
  @Matches(/^[\w.:-]+$/, { message: 'must be an IP address or a host name' })
  readonly host: string;

  @Setting({ name: 'RAMPART_PORT', help: 'port to listen on', fallback: '8000', parse: number })
  @Max(65_535, PORT)
  @Min(0, PORT)
  @IsInt(PORT)
  readonly port: number;

  @Setting({ name: 'RAMPART_DATA_DIR', help: 'folder of keys and database', fallback: './data/management' })
  @MinLength(1, PATH)
  readonly dataDir: string;

  @Setting({ name: 'DATABASE_URL', help: 'a PostgreSQL server; without it one runs in the data folder' })
  @IsOptional()
  @IsPostgresUrl()
  readonly databaseUrl: string | undefined;

  @Setting({ name: 'RAMPART_ADMIN_USERNAME', help: 'sudo admin that is created when there is none' })
  @FirstAdmin((username, password) => {
    if (username === undefined) return password === undefined ? undefined : 'is required beside RAMPART_ADMIN_PASSWORD';
    return /^[\w.@-]{3,128}$/.test(username) ? undefined : 'must be 3-128 characters of a-z, A-Z, 0-9, -, _, @ and .';
  })
  readonly adminUsername: string | undefined;

  @Setting({ name: 'RAMPART_ADMIN_PASSWORD', help: 'its password, at least 12 characters' })
  @FirstAdmin((username, password) => {
    if (password === undefined) return username === undefined ? undefined : 'is required beside RAMPART_ADMIN_USERNAME';
    const problem = passwordProblem(password, username ?? '');
    return problem && `is refused: ${problem}`;
  })
  readonly adminPassword: string | undefined;

  @Setting({
    name: 'RAMPART_PUBLIC_URL',
    help: 'prefix of subscription URLs; without it http, an address of this machine and the port',
    parse: webUrl,
  })
  @IsOptional()
  @IsUrl(WEB_URL, { message: 'must be an http or https URL without query' })
  readonly publicUrl: string | undefined;

  @Setting({ name: 'RAMPART_CERTS_DIR', help: 'the only folder from which core configurations may name certificates' })
  @IsOptional()
  @MinLength(1, PATH)
  readonly certsDir: string | undefined;

  @Setting({ name: 'RAMPART_JWT_KEY', help: 'signs admin tokens: 32 bytes in base64; else made once', parse: key })
  @IsOptional()
  @IsKey()
  readonly jwtKey: Buffer | undefined;

  @Setting({ name: 'RAMPART_SUBSCRIPTION_KEY', help: 'signs subscription links, in the same way', parse: key })
  @IsOptional()
  @IsKey()
  readonly subscriptionKey: Buffer | undefined;

  @Setting({ name: 'RAMPART_AT_REST_KEY', help: 'seals secrets in the database, in the same way', parse: key })
  @IsOptional()
  @IsKey()
  readonly atRestKey: Buffer | undefined;

  /** Where to listen. */
  get address(): ListenSettings {
    const { host, port } = this;
    return { host, port, hostSetting: 'RAMPART_HOST', portSetting: 'RAMPART_PORT' };
  }
}

/** @throws SettingsError */
export function readManagementEnv(source: Readonly<Record<string, string | undefined>> = process.env): ManagementEnv {
  return readSettings(ManagementEnv, source);
}

/** The text of --help. */
export const managementHelp = (): string => `Usage: rampart-management [--help]

Serves the API and subscriptions, keeps the database and directs the nodes. Settings are environment variables:

${settingsTable(ManagementEnv)}
`;
