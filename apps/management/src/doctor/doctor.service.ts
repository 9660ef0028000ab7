import { Injectable } from '@nestjs/common';
import { type Check, checkDisk } from '@rampart/program';
import { DataSource } from 'typeorm';
import { asDatabase } from '../database/database.js';
import { ManagementEnv } from '../env/management-env.js';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { CoreChecks } from './check-cores.js';
import { checkCredentials } from './check-credentials.js';
import { brokenCheck, checkDatabase } from './check-database.js';
import { checkKeys } from './check-keys.js';
import { NodeChecks } from './check-nodes.js';
import { ProxyChecks } from './check-proxies.js';
import { checkOwnCertificate, checkOwnPort, checkPublicUrl } from './check-web.js';
import type { DoctorView } from './doctor.dto.js';

/** Looks at everything that the running service depends on, through connections of its own. */
@Injectable()
export class DoctorService {
  private running: Promise<DoctorView> | undefined;

  constructor(
    private readonly database: DataSource,
    private readonly env: ManagementEnv,
    private readonly cores: CoreChecks,
    private readonly nodes: NodeChecks,
    private readonly proxies: ProxyChecks,
  ) {}

  /** Callers who come while the checks run share their answer. */
  examine(): Promise<DoctorView> {
    this.running ??= this.runAll().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async runAll(): Promise<DoctorView> {
    const { database, env } = this;
    const { url, settings, directUrl } = asDatabase(database);
    const setting = env.databaseUrl === undefined ? 'the embedded database' : 'DATABASE_URL';
    const [server, direct, owner] = await Promise.all([
      checkDatabase({ url, setting, settings }),
      directUrl === url ? [] : checkDatabase({ url: directUrl, setting: 'DATABASE_DIRECT_URL', settings }),
      env.databaseOwnerUrl ? checkDatabase({ url: env.databaseOwnerUrl, setting: 'DATABASE_OWNER_URL', settings }) : [],
    ]);
    const databases = [...server, ...direct, ...owner];
    const answers = databases.every(({ name, state }) => name !== 'database' || state !== 'wrong');
    const rest = await Promise.all([
      checkDisk('disk', env.dataDir, 'RAMPART_DATA_DIR'),
      answers ? attempt('keys', () => checkKeys(database.manager, env)) : [],
      checkOwnCertificate(env),
      checkOwnPort(env),
      checkPublicUrl(env),
      answers ? attempt('cores', () => this.cores.run()) : [],
      answers ? attempt('credentials', () => checkCredentials(database.manager)) : [],
      answers ? attempt('nodes', () => this.nodes.run()) : [],
      answers ? attempt('trusted proxies', () => this.proxies.run()) : [],
    ]);
    return { version: MANAGEMENT_VERSION, checks: [...databases, ...rest.flat()] };
  }
}

const attempt = (name: string, check: () => Promise<Check[]>): Promise<Check[]> =>
  check().catch((error: unknown) => [brokenCheck(name, error)]);
