import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { scratchFolder } from '@rampart/testing';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { type ManagementEnv, readManagementEnv } from '../../env/management-env.js';
import type { AcceptedSigners } from '../accept-signer.js';
import { createBackup } from '../create-backup.js';
import { restoreBackup } from '../restore-backup.js';

/** A folder for backups and data folders, and a key pair of age. */
export class BackupFixture {
  /** What was told to the operator. */
  readonly lines: string[] = [];

  private constructor(
    readonly folder: string,
    readonly identity: string,
    readonly recipient: string,
  ) {}

  static async create(): Promise<BackupFixture> {
    const identity = await generateIdentity();
    const folder = await mkdtemp(join(scratchFolder(), 'rampart-backup-'));
    return new BackupFixture(folder, identity, await identityToRecipient(identity));
  }

  path(name: string): string {
    return resolve(this.folder, name);
  }

  /** Settings with a data folder of their own, and the database of the URL where it is given. */
  env(dataDir: string, url?: string, more: Record<string, string> = {}): ManagementEnv {
    return readManagementEnv({ RAMPART_DATA_DIR: this.path(dataDir), ...(url && { DATABASE_URL: url }), ...more });
  }

  async backUp(env: ManagementEnv, name: string) {
    const file = this.path(name);
    const { header, fingerprint } = await createBackup({
      env,
      file,
      encryptTo: { recipients: [this.recipient] },
      onProgress: () => undefined,
      log: () => undefined,
    });
    return { file, header, fingerprint };
  }

  /** By default it accepts what any installation has signed, as an operator who has compared the fingerprint. */
  restore(
    env: ManagementEnv,
    file: string,
    identity = this.identity,
    accept: AcceptedSigners = { confirm: () => Promise.resolve(true) },
  ) {
    return restoreBackup({
      env,
      file,
      decryptWith: { identities: [identity] },
      accept,
      onProgress: () => undefined,
      tell: (line) => this.lines.push(line),
    });
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
