import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SUDO, TestManagement } from '../testing/test-management.js';

let management: TestManagement;
let lines: string[];
const output = [
  jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0),
  jest.spyOn(process.stderr, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0),
];

beforeAll(async () => {
  lines = [];
  management = await TestManagement.start();
  const log = (...said: unknown[]) => void lines.push(inspect(said, { depth: null, showHidden: true }));
  management.app.useLogger({ log, error: log, warn: log, debug: log, verbose: log, fatal: log });
});
afterAll(async () => {
  for (const spy of output) spy.mockRestore();
  await management?.close();
});

/** Renames a column during the work, so that every statement that reads it fails with an error of PostgreSQL. */
async function without<T>(table: string, column: string, work: () => Promise<T>): Promise<T> {
  await management.asOwner(`ALTER TABLE ${table} RENAME ${column} TO missing`);
  try {
    return await work();
  } finally {
    await management.asOwner(`ALTER TABLE ${table} RENAME missing TO ${column}`);
  }
}

const get = (path: string) => management.request('GET', path, undefined, '');

describe('security row 3: a subscription token', () => {
  let path: string;
  beforeAll(async () => {
    const { body } = await management.call('POST', '/api/user', { username: 'anna' });
    path = new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
  });

  it('a subscription token is in no log, not even when its request fails', async () => {
    for (const end of ['', '/info', '/usage', '/apps', '/links']) {
      expect((await get(`${path}${end}`)).status).toBe(200);
      expect((await get(`${path}x${end}`)).status).toBe(404);
    }
    expect((await get(`${path}/usage?period=x`)).status).toBe(422);
    const failed = await without('users', 'subscription_generation', () => get(path));
    expect(failed).toMatchObject({ status: 500, body: { detail: 'Internal error', code: 'INTERNAL' } });
    const log = lines.join('\n');
    expect(log).toContain('subscription_generation');
    for (const part of path.replace('/sub/', '').split('.')) expect(log).not.toContain(part);
  });

  it('a subscription token that was revoked gets the same answer as an unknown one, byte for byte', async () => {
    await management.call('POST', '/api/user/anna/revoke_sub');
    const [revoked, unknown] = [await get(path), await get('/sub/unknown')];
    for (const { headers } of [revoked, unknown]) for (const own of ['date', 'x-request-id']) delete headers[own];
    expect(revoked.status).toBe(404);
    expect([revoked.status, revoked.headers, revoked.text]).toEqual([unknown.status, unknown.headers, unknown.text]);
  });
});

describe('a password or an access token', () => {
  it.each([
    ['password_hash', [500, 200, 500]],
    ['token_version', [500, 500, 500]],
  ])('stands in no log, not even when its request fails for %s', async (column, statuses) => {
    const token = await management.login(SUDO.username, SUDO.password);
    const failed = await without('admins', column, async () => [
      await management.call('POST', '/api/admin/token', SUDO, ''),
      await management.call('GET', '/api/admin', undefined, token),
      await management.call('PUT', '/api/admin/root', { password: 'another horse battery' }, token),
    ]);
    expect(failed.map(({ status }) => status)).toEqual(statuses);
    const log = lines.join('\n');
    expect(log).toContain(column);
    for (const secret of [SUDO.password, 'another horse battery', token, '$argon2id$'])
      expect(log).not.toContain(secret);
  });
});
