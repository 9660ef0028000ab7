import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readManagementEnv } from '../../env/management-env.js';
import { SUDO, TestManagement } from '../../testing/test-management.js';
import { LoginFailures } from './login-failures.entity.js';
import { LoginThrottle } from './login-throttle.js';
import { PasswordHasher } from './password-hasher.js';

const URL = '/api/admin/token';
const FAILED = { status: 401, body: { detail: 'Incorrect username or password', code: 'LOGIN_FAILED' } };
const THROTTLED = {
  status: 429,
  body: { detail: 'Too many failed logins, try again later', code: 'LOGIN_THROTTLED' },
};

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start({ RAMPART_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8:ffff::1' });
});
afterAll(() => management?.close());
beforeEach(() => management.database.query('DELETE FROM login_failures'));

interface From {
  /** The address of the socket. */
  peer?: string;
  /** The `X-Forwarded-For` header. */
  forwarded?: string;
}

async function login(username: string, password: string, { peer = '192.0.2.1', forwarded }: From = {}) {
  const answer = await management.app.inject({
    method: 'POST',
    url: URL,
    remoteAddress: peer,
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    payload: { username, password },
  });
  return { status: answer.statusCode, body: answer.json(), retryAfter: answer.headers['retry-after'] };
}
const fail = async (username: string, from?: From) => {
  const { status, body } = await login(username, 'wrong', from);
  return { status, body };
};
/** Fails to log in this number of times; `name` returns the name of each attempt. */
const failTimes = async (times: number, name: (n: number) => string, from?: From) => {
  for (let n = 1; n <= times; n++) expect(await fail(name(n), from)).toEqual(FAILED);
};
const later = (minutes: number) =>
  management.database.query('UPDATE login_failures SET since = since - make_interval(mins => $1)', [minutes]);
const subjects = async () =>
  (await management.database.manager.find(LoginFailures, { order: { subject: 'ASC' } })).map(
    ({ subject, failures }) => `${subject.replace(/name:.*/, 'name')} ${failures}`,
  );

describe('failed logins', () => {
  it.each(['root', 'nobody'])(
    'security row 1: failed logins make the name %s wait after five, from whichever address of a network they come',
    async (name) => {
      const verify = jest.spyOn(management.app.get(PasswordHasher), 'verify');
      for (let n = 1; n <= 5; n++) expect(await fail(name, { peer: `192.0.2.${n}` })).toEqual(FAILED);
      expect(verify).toHaveBeenCalledTimes(5);
      const sixth = await login(name, SUDO.password, { peer: '192.0.2.6' });
      expect(sixth).toEqual({ ...THROTTLED, retryAfter: expect.stringMatching(/^\d+$/) });
      expect(Number(sixth.retryAfter)).toBeGreaterThan(14 * 60);
      expect(Number(sixth.retryAfter)).toBeLessThanOrEqual(15 * 60);
      expect(verify).toHaveBeenCalledTimes(5);
      verify.mockRestore();
      expect(await fail('another')).toEqual(FAILED);
    },
  );

  it('security row 1: failed logins exceed no limit when many arrive at once', async () => {
    const verify = jest.spyOn(management.app.get(PasswordHasher), 'verify');
    const answers = await Promise.all(Array.from({ length: 12 }, () => fail('root')));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
    expect(verify).toHaveBeenCalledTimes(5);
    verify.mockRestore();
  });

  it('security row 1: failed logins exceed no limit when they arrive at several independent replicas', async () => {
    const throttle = management.app.get(LoginThrottle);
    const tries = await Promise.allSettled(Array.from({ length: 12 }, () => throttle.begin('root', '192.0.2.1')));
    const refused = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(7);
    for (const error of refused) expect(error).toMatchObject({ code: 'LOGIN_THROTTLED' });
    expect(await subjects()).toEqual(['address:192.0.2.1 5', 'name 5']);
  });

  it('failed logins do not include right passwords that are sent in parallel', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => login('root', SUDO.password)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await subjects()).toEqual(['address:192.0.2.1 0']);
  });

  it('failed logins throttle an address after twenty, whatever the names', async () => {
    await failTimes(20, (n) => `name${n}`);
    expect(await fail('name21')).toEqual(THROTTLED);
    expect((await login('root', SUDO.password)).status).toBe(429);
    expect(await fail('name21', { peer: '192.0.2.2' })).toEqual(FAILED);
  });

  it('security row 1: failed logins from strange networks do not lock an admin out', async () => {
    for (const network of [0, 1, 2]) {
      await failTimes(5, () => 'root', { peer: `198.51.${network}.1` });
      expect(await fail('root', { peer: `198.51.${network}.2` })).toEqual(THROTTLED);
    }
    expect((await login('root', SUDO.password)).status).toBe(200);
    // The strange networks stay throttled after the successful login.
    expect(await fail('root', { peer: '198.51.0.1' })).toEqual(THROTTLED);
  });

  it('failed logins from one /48 count as one network for a name', async () => {
    for (let n = 1; n <= 5; n++) expect(await fail('root', { peer: `2001:db8:1:${n}::1` })).toEqual(FAILED);
    expect(await fail('root', { peer: '2001:db8:1:ffff::1' })).toEqual(THROTTLED);
    expect(await fail('root', { peer: '2001:db8:2::1' })).toEqual(FAILED);
  });

  it('security row 1: failed logins of a name from ever new networks have a common limit', async () => {
    const env = readManagementEnv({ RAMPART_LOGIN_NAME_TOTAL_FAILURES: '7' });
    const throttle = new LoginThrottle(management.database, env);
    const begin = (network: number, name = 'root') => throttle.begin(name, `198.51.${network}.1`);
    for (const network of [1, 1, 1, 2]) await begin(network);
    await later(5);
    for (const network of [3, 4, 5]) await begin(network);
    const refused: unknown = await begin(6).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'LOGIN_THROTTLED' });
    const retryAfter = Number(Reflect.get(Object(refused), 'headers')['retry-after']);
    // The failures of the first two networks leave the window in ten minutes; three of seven are left then.
    expect(retryAfter).toBeGreaterThan(9 * 60);
    expect(retryAfter).toBeLessThanOrEqual(10 * 60);
    await begin(6, 'other');
    await later(10);
    await begin(6);
  });

  it('failed logins from one /64 count as one address', async () => {
    await failTimes(20, (n) => `name${n}`, { peer: '2001:db8::1' });
    expect(await fail('other', { peer: '2001:db8::ffff:0:0:1' })).toEqual(THROTTLED);
    expect(await fail('other', { peer: '2001:db8:0:1::1' })).toEqual(FAILED);
    expect(await subjects()).toContain('address:2001:db8::/64 20');
  });

  it('failed logins from an IPv4 address and its IPv6 form count as one address', async () => {
    await fail('one', { peer: '::ffff:192.0.2.1' });
    await fail('two', { peer: '192.0.2.1' });
    expect(await subjects()).toEqual(['address:192.0.2.1 2', 'name 1', 'name 1']);
  });

  it('failed logins are deleted after fifteen minutes, and not before', async () => {
    await failTimes(5, () => 'root');
    await later(14);
    const { status, retryAfter } = await login('root', SUDO.password);
    expect({ status, soon: Number(retryAfter) > 0 && Number(retryAfter) <= 60 }).toEqual({ status: 429, soon: true });
    await later(1);
    expect((await login('root', SUDO.password)).status).toBe(200);
  });

  it('failed logins expire fifteen minutes after the first of them', async () => {
    await failTimes(4, () => 'root');
    await later(15);
    await failTimes(5, () => 'root');
    expect(await fail('root')).toEqual(THROTTLED);
  });

  it('failed logins of a name are deleted by its successful login, those of the address are not', async () => {
    await failTimes(4, () => 'root');
    expect((await login('root', SUDO.password)).status).toBe(200);
    expect(await subjects()).toEqual(['address:192.0.2.1 4']);
    await failTimes(5, () => 'root');
    expect(await fail('root')).toEqual(THROTTLED);
  });

  it('failed logins of a name are deleted when its password changes', async () => {
    const admin = { username: 'locked', password: SUDO.password, is_sudo: false };
    expect((await management.call('POST', '/api/admin', admin)).status).toBe(201);
    await failTimes(5, () => 'locked');
    const change = (body: object) => management.call('PUT', '/api/admin/locked', body);
    expect((await change({ profile_title: 'no password' })).status).toBe(200);
    expect((await change({ password: 'short' })).status).toBe(422);
    expect((await login('locked', admin.password)).status).toBe(429);
    expect((await change({ password: 'another horse battery' })).status).toBe(200);
    expect((await login('locked', 'another horse battery')).status).toBe(200);
    expect(await subjects()).toEqual(['address:192.0.2.1 5']);
  });

  it('failed logins are not counted while the caller is throttled', async () => {
    await failTimes(5, () => 'root');
    for (let n = 0; n < 20; n++) expect(await fail('root')).toEqual(THROTTLED);
    expect(await subjects()).toEqual(['address:192.0.2.1 5', 'name 5']);
  });

  it('failed logins do not fill the table, nor store what was typed', async () => {
    await management.database.query(
      `INSERT INTO login_failures SELECT 'name:' || n, 1, now() - interval '15 minutes' FROM generate_series(1, 25) n`,
    );
    for (const name of ['one', 'two', 'x'.repeat(1024)]) await fail(name);
    expect(await subjects()).toEqual(['address:192.0.2.1 3', 'name 1', 'name 1', 'name 1']);
    const stored = JSON.stringify(await management.database.manager.find(LoginFailures));
    expect(stored).not.toMatch(/one|two|xxx/);
  });
});

describe('the table of failed logins', () => {
  it('the table of failed logins holds at most a hundred thousand rows; the oldest are deleted', async () => {
    await management.database.query(
      `INSERT INTO login_failures
       SELECT 'name:' || n, 1, now() - make_interval(secs => n / 1000.0) FROM generate_series(1, 100005) n`,
    );
    await fail('one');
    const [left] = await management.database.query(
      `SELECT count(*)::integer AS rows, bool_or(subject = 'name:1') AS newest, bool_or(subject = 'name:100005') AS oldest
       FROM login_failures`,
    );
    expect(left).toEqual({ rows: 100_000, newest: true, oldest: false });
  });
});

describe('the address of a request', () => {
  const counted = async (from: From) => {
    await fail('root', from);
    return (await subjects())[0];
  };

  it("security row 2: the address of a request is the peer's, whatever headers a peer sends that is no proxy", async () => {
    expect(await counted({ peer: '192.0.2.1', forwarded: '198.51.100.1' })).toBe('address:192.0.2.1 1');
  });

  it('security row 2: the address of a request is the last forwarded address that is not a trusted proxy; earlier ones are not believed', async () => {
    const forwarded = '203.0.113.66, 198.51.100.1, 10.1.1.1';
    expect(await counted({ peer: '10.0.0.1', forwarded })).toBe('address:198.51.100.1 1');
  });

  it('security row 2: the address of a request cannot be forged to evade the limit', async () => {
    for (let n = 1; n <= 20; n++) {
      const forwarded = `203.0.113.${n}, 198.51.100.1`;
      expect(await fail(`name${n}`, { peer: '2001:db8:ffff::1', forwarded })).toEqual(FAILED);
    }
    expect(await fail('other', { peer: '10.0.0.1', forwarded: '203.0.113.99, 198.51.100.1' })).toEqual(THROTTLED);
  });

  it("the address of a request is the proxy's own when it sends none, and any text that it sends", async () => {
    expect(await counted({ peer: '10.0.0.1' })).toBe('address:10.0.0.1 1');
    await management.database.query('DELETE FROM login_failures');
    expect(await counted({ peer: '10.0.0.1', forwarded: 'unknown' })).toMatch(/^address:[0-9a-f]{64} 1$/);
  });

  it('the address of a request is truncated in the audit log when a proxy passes on a long text', async () => {
    const { statusCode } = await management.app.inject({
      method: 'PUT',
      url: '/api/settings',
      remoteAddress: '10.0.0.1',
      headers: {
        'x-forwarded-for': 'x'.repeat(200),
        authorization: `Bearer ${await management.login(SUDO.username, SUDO.password)}`,
      },
      payload: {},
    });
    const [entry] = await management.database.query('SELECT address FROM audit_entries ORDER BY id DESC LIMIT 1');
    expect({ statusCode, entry }).toEqual({ statusCode: 200, entry: { address: 'x'.repeat(64) } });
  });
});
