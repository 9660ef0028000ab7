import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, ProgramProcess, scratchFolder } from '@rampart/testing';

const main = join(dirname(fileURLToPath(import.meta.url)), '../../seed/main.mjs');
const password = 'correct horse battery staple';

let dataDir: string;
let url: string;
let management: ProgramProcess;

const seed = (args: readonly string[], adminPassword = password) =>
  promisify(execFile)(process.execPath, [main, '--url', url, '--username', 'root', ...args], {
    env: { ...process.env, RAMPART_ADMIN_PASSWORD: adminPassword },
  });

beforeAll(async () => {
  dataDir = mkdtempSync(join(scratchFolder(), 'rampart-seed-'));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  management = new ProgramProcess('management', {
    RAMPART_HOST: '127.0.0.1',
    RAMPART_PORT: String(port),
    RAMPART_DATA_DIR: dataDir,
    RAMPART_PUBLIC_URL: url,
    RAMPART_ADMIN_USERNAME: 'root',
    RAMPART_ADMIN_PASSWORD: password,
  });
  await management.printed('Ready on');
});

afterAll(async () => {
  await management.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('npm run seed', () => {
  it('creates the wanted number of users of all kinds, and a second run adds only users', async () => {
    const first = await seed(['--users', '300']);
    expect(first.stdout).toMatch(
      /New admin seller-reza with the password \S{16}\n(.*\n)*Management has 300 users\.\n$/,
    );
    const second = await seed(['--users', '420']);
    expect(second.stdout).not.toContain('New admin');
    expect(second.stdout).toMatch(/Management has 420 users\.\n$/);

    const body = new URLSearchParams({ username: 'root', password });
    const login = await fetch(`${url}/api/admin/token`, { method: 'POST', body });
    const { access_token } = (await login.json()) as { access_token: string };
    const get = async (path: string) => {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${access_token}` } });
      return (await answer.json()) as { total: number } & Record<string, unknown>[];
    };
    expect((await get('/api/users?limit=1')).total).toBe(420);
    for (const status of ['active', 'on_hold', 'expired', 'disabled'])
      expect((await get(`/api/users?limit=1&status=${status}`)).total).toBeGreaterThan(0);
    expect((await get('/api/users?limit=1&admin=seller-olga')).total).toBeGreaterThan(0);
    expect(await get('/api/hosts')).toHaveLength(6);
    expect(await get('/api/user_templates')).toHaveLength(7);
    expect(await get('/api/admins')).toHaveLength(4);
  });

  it('explains wrong arguments and a refused login', async () => {
    await expect(seed(['--users', 'many'])).rejects.toMatchObject({
      code: 1,
      stderr: '\n✗ --users must be a whole number above 0.\n',
    });
    await expect(seed([], 'wrong password of root')).rejects.toMatchObject({
      code: 1,
      stderr:
        '\n✗ POST /api/admin/token answered 401: {"detail":"Incorrect username or password","code":"LOGIN_FAILED"}\n',
    });
    expect((await seed(['--help'])).stdout).toContain('npm run seed: fills a running management');
  });
});
