import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ConsoleLogger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { scratchFolder } from '@rampart/testing';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { PasswordHasher } from '../admins/passwords/password-hasher.js';
import { Admin } from '../admins/store/admin.entity.js';
import { createManagementApp, type ManagementApp } from '../app/management.app.js';
import { runningServerUrl } from '../database/embedded/running-server.js';
import { ManagementEnv, readManagementEnv } from '../env/management-env.js';
import { ProbeSchedule } from '../probes/probe-schedule.js';
import { UserLifeCycle } from '../users/life-cycle/user-life-cycle.js';
import { copyCluster } from './copy-cluster.js';
import { createDatabase } from './migrated-database.js';
import type { Method } from './routes.js';

export const SUDO = { username: 'root', password: 'correct horse battery' };

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The body parsed as JSON; undefined when it is not JSON. */
  body: unknown;
}

/** The real service with a database of its own, without a port: requests are injected. */
export class TestManagement {
  private token = '';
  private owner: Promise<pg.Client> | undefined;

  private constructor(
    readonly app: NestFastifyApplication,
    readonly folder: string,
    private readonly program: ManagementApp,
  ) {}

  /** @param settings an empty DATABASE_URL starts the embedded server, as does the data folder of another one */
  static async start(settings: Record<string, string> = {}): Promise<TestManagement> {
    const folder = await mkdtemp(join(scratchFolder(), 'rampart-management-'));
    const env = readManagementEnv({
      RAMPART_DATA_DIR: folder,
      RAMPART_ADMIN_USERNAME: SUDO.username,
      RAMPART_ADMIN_PASSWORD: SUDO.password,
      RAMPART_PUBLIC_URL: 'https://panel.example',
      ...(isDatabaseChosen(settings) ? {} : await ownDatabase()),
      ...settings,
    });
    if (env.databaseUrl === undefined) await copyCluster(join(folder, 'postgres'));
    const program = await createManagementApp(env, new ConsoleLogger({ logLevels: ['fatal'] }));
    const { app } = program;
    // The life cycle and the probes are stopped; tests trigger them themselves.
    await app.get(UserLifeCycle).stop();
    await app.get(ProbeSchedule).stop();
    await app.getHttpAdapter().getInstance().ready();
    const management = new TestManagement(app, folder, program);
    await management.logInAgain();
    return management;
  }

  get database(): DataSource {
    return this.app.get(DataSource);
  }

  /** Listens at a free port of the loopback address, and returns that. */
  async listen(): Promise<number> {
    await this.app.listen(0, '127.0.0.1');
    return (this.app.getHttpServer().address() as AddressInfo).port;
  }

  /** A statement as the owner of the tables, for what the role of the service may not do. */
  async asOwner<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    this.owner ??= this.connectAsOwner();
    return (await (await this.owner).query(sql, parameters)).rows;
  }

  private async connectAsOwner(): Promise<pg.Client> {
    const { databaseOwnerUrl, databaseUrl, dataDir } = this.app.get(ManagementEnv);
    const client = new pg.Client(
      databaseOwnerUrl ?? databaseUrl ?? (await runningServerUrl(join(dataDir, 'postgres'))),
    );
    client.on('error', () => {
      this.owner = undefined;
    });
    await client.connect();
    return client;
  }

  /** Opens the socket for commands, whose path is `control.sock` in `folder`. */
  openControlSocket(): Promise<void> {
    return this.program.openControlSocket();
  }

  async login(username: string, password: string): Promise<string> {
    const { body } = await this.request('POST', '/api/admin/token', { username, password }, '');
    return String(Reflect.get(Object(body), 'access_token'));
  }

  /** Replaces the login of the sudo admin, which requests use by default. */
  async logInAgain(): Promise<void> {
    this.token = await this.login(SUDO.username, SUDO.password);
  }

  /** Creates a plain admin, logs in, and returns the token. */
  async plainAdmin(username: string): Promise<string> {
    const passwordHash = await this.app.get(PasswordHasher).hash(SUDO.password);
    await this.database.manager.insert(Admin, { username, passwordHash });
    return this.login(username, SUDO.password);
  }

  /** Keeps what nodes are told of deleted users, which is deleted at each look for nodes as long as there is none. */
  async keepTombstones(): Promise<void> {
    await this.asOwner('CREATE RULE kept AS ON DELETE TO user_tombstones DO INSTEAD NOTHING');
  }

  /** Sends a request as the sudo admin, or with another token. */
  async request(method: Method, url: string, body?: unknown, token = this.token, others = {}): Promise<Answer> {
    const { statusCode, headers, payload } = await this.app.inject({
      method,
      url,
      headers: { ...others, ...(token !== '' && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { payload: body as object }),
    });
    return {
      status: statusCode,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      text: payload,
      body: parse(payload),
    };
  }

  /** Like `request`, but returns only the members that most tests assert. */
  async call(...request: Parameters<TestManagement['request']>): Promise<Pick<Answer, 'status' | 'body'>> {
    const { status, body } = await this.request(...request);
    return { status, body };
  }

  async close(): Promise<void> {
    await (await this.owner)?.end();
    await this.program.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const isDatabaseChosen = (settings: Record<string, string>): boolean =>
  'DATABASE_URL' in settings || 'RAMPART_DATA_DIR' in settings;

/** A database in the server of this jest worker, with the roles of the embedded one. */
async function ownDatabase(): Promise<Record<string, string>> {
  const { url, serviceUrl } = await createDatabase('migrated');
  return { DATABASE_URL: serviceUrl, DATABASE_OWNER_URL: url };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
