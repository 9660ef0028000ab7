import {
  AreNetworks,
  describeSettings,
  type Environment,
  IsBetween,
  parseBoolean,
  parseInteger,
  parseList,
  readSecret,
  readSettings,
  Setting,
  type SettingDescription,
  secretValues,
} from '@rampart/program';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { MetricsEnv } from './metrics-env.js';

/** All settings of management. `readManagementEnv` is the only reader of process.env in this app. */
export class ManagementEnv extends MetricsEnv {
  @Setting({
    name: 'RAMPART_NODE_ADDRESSES',
    help: 'any, or public to refuse nodes at private addresses',
    fallback: 'any',
  })
  @IsIn(['any', 'public'], { message: 'must be any or public' })
  readonly nodeAddresses: 'any' | 'public';

  @Setting({
    name: 'RAMPART_NODE_LINE_RATE',
    help: 'Mbit/s that the line of a node carries at most in each direction; traffic that a node reports beyond it is not counted',
    fallback: '10000',
    parse: parseInteger,
  })
  @IsBetween(1, 1_000_000)
  readonly nodeLineRate: number;

  @Setting({
    name: 'RAMPART_AUTO_DELETE_DAYS',
    help: 'days after which expired users are deleted, unless the user has its own number; by default never',
    parse: parseInteger,
  })
  @IsOptional()
  @IsBetween(0, 36_500)
  readonly autoDeleteDays: number | undefined;

  @Setting({
    name: 'RAMPART_AUTO_DELETE_LIMITED',
    help: 'true also deletes users whose traffic is used up after that time',
    fallback: 'false',
    parse: parseBoolean,
  })
  @IsBoolean({ message: 'must be true or false' })
  readonly autoDeleteLimited: boolean;

  @Setting({
    name: 'RAMPART_USAGE_DAYS',
    help: 'days for which the history of usage is kept',
    fallback: '90',
    parse: parseInteger,
  })
  @IsBetween(1, 366)
  readonly usageDays: number;

  @Setting({
    name: 'RAMPART_AUDIT_DAYS',
    help: 'minimum number of days for which the audit log is kept; it is deleted by whole months',
    fallback: '365',
    parse: parseInteger,
  })
  @IsBetween(1, 3_660)
  readonly auditDays: number;

  @Setting({
    name: 'RAMPART_API_TOKEN_DAYS',
    help: 'maximum number of days of a new API token, which must name its end; 0 also allows tokens without an end',
    fallback: '366',
    parse: parseInteger,
  })
  @IsBetween(0, 36_500)
  readonly apiTokenDays: number;

  @Setting({
    name: 'RAMPART_RESET_LOG_DAYS',
    help: 'minimum number of days for which the log of traffic resets of users and admins is kept',
    fallback: '365',
    parse: parseInteger,
  })
  @IsBetween(1, 3_660)
  readonly resetLogDays: number;

  @Setting({
    name: 'RAMPART_PROBE_ENGINE',
    help: 'path of Xray, with which this machine probes hosts where no node can; by default xray in PATH, if it is there',
  })
  readonly probeEngine: string | undefined;

  @Setting({
    name: 'RAMPART_PROBE_NETWORKS',
    help: 'networks that probes from this machine may enter although they are not public, separated by commas',
    fallback: '',
    parse: (text) => parseList(text).filter((network) => network !== ''),
  })
  @AreNetworks()
  readonly probeNetworks: readonly string[];

  @Setting({ name: 'PATH', help: 'directories that are searched for xray', derive: () => '' })
  readonly searchPath: string;
}

/** Reads all settings. @throws SettingsError that lists every invalid setting */
export function readManagementEnv(source: Environment = process.env): ManagementEnv {
  return readSettings(ManagementEnv, source);
}

/** The values of all secrets in the settings, which no log line may contain. */
export const managementSecrets = (source: Environment = process.env): string[] => secretValues(ManagementEnv, source);

/**
 * Reads the password for a command about an admin. It comes from RAMPART_ADMIN_PASSWORD, unless RAMPART_ADMIN_USERNAME is set
 * too: then that is the password of the first admin, and the command asks for one.
 */
export async function readCommandPassword(
  ask: () => Promise<string>,
  source: Environment = process.env,
): Promise<string> {
  const set = source['RAMPART_ADMIN_USERNAME'] ? undefined : readSecret(source, 'RAMPART_ADMIN_PASSWORD');
  return set ?? (await ask());
}

/** Every setting as an operator sees it, without secrets. */
export const describeManagementEnv = (source: Environment = process.env): SettingDescription[] =>
  describeSettings(ManagementEnv, source);
