import {
  type Environment,
  IsBetween,
  parseBoolean,
  parseInteger,
  readSecret,
  readSettings,
  Setting,
} from '@rampart/program';
import { IsBoolean, IsIn, IsOptional, MinLength } from 'class-validator';
import { AccessEnv } from './access-env.js';
import { MUST_BE_PATH } from './env-rules.js';

/** All settings of management. `readManagementEnv` is the only reader of process.env in this app. */
export class ManagementEnv extends AccessEnv {
  @Setting({
    name: 'RAMPART_NODE_ADDRESSES',
    help: 'any, or public to refuse nodes at private addresses',
    fallback: 'any',
  })
  @IsIn(['any', 'public'], { message: 'must be any or public' })
  readonly nodeAddresses: 'any' | 'public';

  @Setting({ name: 'RAMPART_CERTS_DIR', help: 'the only folder from which core configurations may name certificates' })
  @IsOptional()
  @MinLength(1, MUST_BE_PATH)
  readonly certsDir: string | undefined;

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
    name: 'RAMPART_RESET_LOG_DAYS',
    help: 'minimum number of days for which the log of traffic resets of users and admins is kept',
    fallback: '365',
    parse: parseInteger,
  })
  @IsBetween(1, 3_660)
  readonly resetLogDays: number;
}

/** Reads all settings. @throws SettingsError that lists every invalid setting */
export function readManagementEnv(source: Environment = process.env): ManagementEnv {
  return readSettings(ManagementEnv, source);
}

/**
 * Reads the settings for a command about one admin. The password comes from RAMPART_ADMIN_PASSWORD, unless
 * RAMPART_ADMIN_USERNAME is set too: then it is that of the first admin, and the command asks for one.
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
