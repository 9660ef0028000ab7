import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { routesOf } from '../testing/routes.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { codeAt } from './totp-codes.js';

const REFUSED = {
  status: 403,
  body: { detail: 'Set up your second factor first: POST /api/admin/totp', code: 'TOTP_SET_UP_REQUIRED' },
};
const SET_UP = [
  'GET /api/admin',
  'GET /api/admin/totp',
  'POST /api/admin/step-up',
  'POST /api/admin/totp',
  'POST /api/admin/totp/confirm',
  'PUT /api/admin',
];

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start({ RAMPART_REQUIRE_TOTP: 'sudo' });
});
afterAll(() => management?.close());

describe('security row 51: a required second factor', () => {
  it('a required second factor leaves an admin without one only the routes to set it up, with a token and in a browser', async () => {
    const open: string[] = [];
    for (const { level, method, path } of routesOf(management.app)) {
      // The end of the own login would come too early here.
      if (level === 'public' || `${method} ${path}` === 'DELETE /api/admin/session') continue;
      const answer = await management.call(method, path.replaceAll(/:\w+/g, '1'));
      if (Reflect.get(Object(answer.body), 'code') !== 'TOTP_SET_UP_REQUIRED') open.push(`${method} ${path}`);
      else expect({ method, path, ...answer }).toEqual({ method, path, ...REFUSED });
    }
    expect(open.toSorted()).toEqual(SET_UP);
    const login = {
      method: 'POST',
      url: '/api/admin/session',
      headers: { 'x-rampart-dashboard': '1' },
      payload: SUDO,
    } as const;
    const { headers } = await management.app.inject(login);
    const cookie = [headers['set-cookie'] ?? []]
      .flat()
      .map((one) => one.split(';')[0])
      .join('; ');
    const asked = async (url: string) => (await management.app.inject({ url, headers: { cookie } })).json();
    expect(await asked('/api/users')).toEqual(REFUSED.body);
    expect(await asked('/api/admin')).toMatchObject({ username: 'root', must_set_up_totp: true });
    const end = { method: 'DELETE', url: '/api/admin/session', headers: { ...login.headers, cookie } } as const;
    expect((await management.app.inject(end)).statusCode).toBe(204);
  });

  it('a required second factor concerns those whom the setting names, and no API token', async () => {
    const plain = await management.plainAdmin('plain');
    expect((await management.call('GET', '/api/users', undefined, plain)).status).toBe(200);
    expect((await management.call('GET', '/api/admin', undefined, plain)).body).toMatchObject({
      must_set_up_totp: false,
    });
    const token = `rampart_${'b'.repeat(43)}`;
    await management.database.query(
      `INSERT INTO api_tokens (admin_id, name, hash, scope) VALUES (1, 'bot', sha256($1::bytea), 'all')`,
      [Buffer.from(token)],
    );
    expect((await management.call('GET', '/api/users', undefined, token)).status).toBe(200);
  });

  it('a required second factor opens everything once it is set up, and closes it when it is removed', async () => {
    const { body } = await management.call('POST', '/api/admin/totp', { password: SUDO.password });
    const { secret } = Object(body);
    const confirmed = await management.call('POST', '/api/admin/totp/confirm', {
      code: codeAt(secret, Date.now() - 30_000),
    });
    expect(confirmed.status).toBe(200);
    const login = { ...SUDO, totp: codeAt(secret, Date.now()) };
    const { access_token } = Object((await management.call('POST', '/api/admin/token', login, '')).body);
    const users = () => management.call('GET', '/api/users', undefined, access_token);
    expect((await users()).status).toBe(200);
    await management.database.query('DELETE FROM admin_totps');
    expect(await users()).toEqual(REFUSED);
  });
});
