import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Api, freePort, ProgramProcess, scratchFolder } from '@rampart/testing';

const ROOT = { username: 'root', password: 'a password for the contract' };
const PLAIN = { username: 'plain-admin', password: 'a password for the plain one', is_sudo: false };

/** The management program under test and its three kinds of callers, shared by all contract tests. */
class ContractEnvironment {
  /** Temporary folder with the database; `stop` removes it. */
  readonly folder = mkdtempSync(join(scratchFolder(), 'rampart-contract-'));
  /** Folder of the certificate files that cores may name. */
  readonly certificates = join(this.folder, 'certificates');
  sudo = new Api('');
  /** A client with the token of an admin without sudo. */
  plain = new Api('');
  plainId = 0;
  anonymous = new Api('');
  private management: ProgramProcess | undefined;

  async start(): Promise<void> {
    mkdirSync(this.certificates);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    this.management = new ProgramProcess('management', {
      RAMPART_HOST: '127.0.0.1',
      RAMPART_PORT: String(port),
      RAMPART_DATA_DIR: join(this.folder, 'management'),
      RAMPART_PUBLIC_URL: url,
      RAMPART_CERTS_DIR: this.certificates,
      RAMPART_ADMIN_USERNAME: ROOT.username,
      RAMPART_ADMIN_PASSWORD: ROOT.password,
      DATABASE_URL: '',
    });
    await this.management.printed(`Ready on ${url}`);
    this.anonymous = new Api(url);
    this.sudo = await this.anonymous.login(ROOT.username, ROOT.password);
    this.plainId = (await this.sudo.create<{ id: number }>('/api/admin', PLAIN)).id;
    this.plain = await this.anonymous.login(PLAIN.username, PLAIN.password);
  }

  async stop(): Promise<void> {
    await this.management?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const environment = new ContractEnvironment();
