import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsoleLogger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { PasswordHasher } from '../admins/passwords/password-hasher.js';
import { Admin } from '../admins/store/admin.entity.js';
import { createManagementApp } from '../app/management.app.js';
import { readManagementEnv } from '../env/management-env.js';
import { UserLifeCycle } from '../users/life-cycle/user-life-cycle.js';
import { copyCluster } from './cluster-template.js';
import type { Method } from './routes.js';

export const SUDO = { username: 'root', password: 'correct horse battery' };

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The body parsed as JSON; undefined when it is not JSON. */
  body: unknown;
}

/** The real service with its own PostgreSQL, without a port: requests are injected. */
export class TestManagement {
  private token = '';

  private constructor(
    readonly app: NestFastifyApplication,
    readonly folder: string,
    private readonly end: () => Promise<void>,
  ) {}

  static async start(settings: Record<string, string> = {}): Promise<TestManagement> {
    const folder = await mkdtemp(join(tmpdir(), 'rampart-management-'));
    const env = readManagementEnv({
      RAMPART_DATA_DIR: folder,
      RAMPART_ADMIN_USERNAME: SUDO.username,
      RAMPART_ADMIN_PASSWORD: SUDO.password,
      RAMPART_PUBLIC_URL: 'https://panel.example',
      ...settings,
    });
    if (env.databaseUrl === undefined) await copyCluster(join(folder, 'postgres'));
    const { app, close } = await createManagementApp(env, new ConsoleLogger({ logLevels: ['fatal'] }));
    // The life cycle is stopped; tests trigger it themselves.
    await app.get(UserLifeCycle).stop();
    await app.getHttpAdapter().getInstance().ready();
    const management = new TestManagement(app, folder, close);
    management.token = await management.login(SUDO.username, SUDO.password);
    return management;
  }

  get database(): DataSource {
    return this.app.get(DataSource);
  }

  async login(username: string, password: string): Promise<string> {
    const { body } = await this.request('POST', '/api/admin/token', { username, password }, '');
    return String(Reflect.get(Object(body), 'access_token'));
  }

  /** Creates a plain admin, logs in, and returns the token. */
  async plainAdmin(username: string): Promise<string> {
    const passwordHash = await this.app.get(PasswordHasher).hash(SUDO.password);
    await this.database.manager.insert(Admin, { username, passwordHash });
    return this.login(username, SUDO.password);
  }

  /** Sends a request as the sudo admin, or with another token. */
  async request(method: Method, url: string, body?: unknown, token = this.token): Promise<Answer> {
    const { statusCode, headers, payload } = await this.app.inject({
      method,
      url,
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
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
    await this.end();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
