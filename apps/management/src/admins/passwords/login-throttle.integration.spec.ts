import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { readManagementEnv } from '../../env/management-env.js';
import { SUDO, TestManagement } from '../../testing/test-management.js';
import { KnownOrigins } from './known-origins.js';
import { LoginFailures } from './login-failures.entity.js';
import { LoginQueue } from './login-queue.js';
import { LoginThrottle } from './login-throttle.js';
import { PasswordHasher } from './password-hasher.js';
import { UnknownNames } from './unknown-names.js';

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
beforeEach(async () => {
  await management.database.query('DELETE FROM login_failures');
  await management.database.query('DELETE FROM admin_origins');
});

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
/** Logs in with a browser; `cookie` is what it keeps. */
async function browserLogin(peer: string, cookie?: string, username = 'root', password = SUDO.password) {
  const { statusCode, headers } = await management.app.inject({
    method: 'POST',
    url: '/api/admin/session',
    remoteAddress: peer,
    headers: { 'x-rampart-dashboard': '1', ...(cookie !== undefined && { cookie }) },
    payload: { username, password },
  });
  const set = [headers['set-cookie'] ?? []].flat().find((one) => one.includes('rampart_device'));
  return { status: statusCode, cookie: set?.split(';')[0] };
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
  management.database.query(
    `UPDATE login_failures SET since = since - moved, ends_at = ends_at - moved, forgotten_at = forgotten_at - moved
     FROM make_interval(mins => $1) AS moved`,
    [minutes],
  );
/** The counts of names and of single addresses, without those of the networks around them. */
const subjects = async () =>
  (await management.database.manager.find(LoginFailures, { order: { subject: 'ASC' } }))
    .map(({ subject, failures }) => `${subject.replace(/name:.*/, 'name')} ${failures}`)
    .filter((line) => !/^address:.*\/(24|56|48|32) /.test(line));

describe('failed logins', () => {
  it.each(['root', 'nobody'])(
    'security row 1: make the name %s wait after five, from whichever address of a network they come',
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

  it('security row 1: exceed no limit when many arrive at once', async () => {
    const verify = jest.spyOn(management.app.get(PasswordHasher), 'verify');
    const answers = await Promise.all(Array.from({ length: 12 }, () => fail('root')));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
    expect(verify).toHaveBeenCalledTimes(5);
    verify.mockRestore();
  });

  it('security row 1: exceed no limit when they arrive at several independent replicas', async () => {
    const throttle = management.app.get(LoginThrottle);
    const tries = await Promise.allSettled(
      Array.from({ length: 12 }, () => throttle.begin(throttle.attempt('root', '192.0.2.1'))),
    );
    const refused = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(7);
    for (const error of refused) expect(error).toMatchObject({ code: 'LOGIN_THROTTLED' });
    expect(await subjects()).toEqual(['address:192.0.2.1 5', 'name 5']);
  });

  it('do not include right passwords that are sent in parallel', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => login('root', SUDO.password)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await subjects()).toEqual(['address:192.0.2.1 0']);
  });

  it('throttle an address after twenty, whatever the names', async () => {
    await failTimes(20, (n) => `name${n}`);
    expect(await fail('name21')).toEqual(THROTTLED);
    expect((await login('root', SUDO.password)).status).toBe(429);
    expect(await fail('name21', { peer: '192.0.2.2' })).toEqual(FAILED);
  });

  it('security row 1: from strange networks do not lock an admin out', async () => {
    for (const network of [0, 1, 2]) {
      await failTimes(5, () => 'root', { peer: `198.51.${network}.1` });
      expect(await fail('root', { peer: `198.51.${network}.2` })).toEqual(THROTTLED);
    }
    expect((await login('root', SUDO.password)).status).toBe(200);
    // The strange networks stay throttled after the successful login.
    expect(await fail('root', { peer: '198.51.0.1' })).toEqual(THROTTLED);
  });

  it('from one /48 count as one network for a name', async () => {
    for (let n = 1; n <= 5; n++) expect(await fail('root', { peer: `2001:db8:1:${n}::1` })).toEqual(FAILED);
    expect(await fail('root', { peer: '2001:db8:1:ffff::1' })).toEqual(THROTTLED);
    expect(await fail('root', { peer: '2001:db8:2::1' })).toEqual(FAILED);
  });

  it('security row 1: of a name from ever new networks have a common limit', async () => {
    const env = readManagementEnv({ RAMPART_LOGIN_NAME_TOTAL_FAILURES: '7' });
    const throttle = new LoginThrottle(management.database, env);
    const begin = (network: number, name = 'root') => throttle.begin(throttle.attempt(name, `198.51.${network}.1`));
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

  it('from one /64 count as one address', async () => {
    await failTimes(20, (n) => `name${n}`, { peer: '2001:db8::1' });
    expect(await fail('other', { peer: '2001:db8::ffff:0:0:1' })).toEqual(THROTTLED);
    expect(await fail('other', { peer: '2001:db8:0:1::1' })).toEqual(FAILED);
    expect(await subjects()).toContain('address:2001:db8::/64 20');
  });

  it('from an IPv4 address and its IPv6 form count as one address', async () => {
    await fail('one', { peer: '::ffff:192.0.2.1' });
    await fail('two', { peer: '192.0.2.1' });
    expect(await subjects()).toEqual(['address:192.0.2.1 2', 'name 1', 'name 1']);
  });

  it('are deleted after fifteen minutes, and not before', async () => {
    await failTimes(5, () => 'root');
    await later(14);
    const { status, retryAfter } = await login('root', SUDO.password);
    expect({ status, soon: Number(retryAfter) > 0 && Number(retryAfter) <= 60 }).toEqual({ status: 429, soon: true });
    await later(1);
    expect((await login('root', SUDO.password)).status).toBe(200);
  });

  it('expire fifteen minutes after the first of them', async () => {
    await failTimes(4, () => 'root');
    await later(15);
    await failTimes(5, () => 'root');
    expect(await fail('root')).toEqual(THROTTLED);
  });

  it('of a name are deleted by its successful login, those of the address are not', async () => {
    await failTimes(4, () => 'root');
    expect((await login('root', SUDO.password)).status).toBe(200);
    expect(await subjects()).toEqual(['address:192.0.2.1 4']);
    await failTimes(5, () => 'root');
    expect(await fail('root')).toEqual(THROTTLED);
  });

  it('of a name are deleted when its password changes', async () => {
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

  it('are not counted while the caller is throttled', async () => {
    await failTimes(5, () => 'root');
    for (let n = 0; n < 20; n++) expect(await fail('root')).toEqual(THROTTLED);
    expect(await subjects()).toEqual(['address:192.0.2.1 5', 'name 5']);
  });

  it('do not fill the table, nor store what was typed', async () => {
    await management.database.query(
      `INSERT INTO login_failures (subject, failures, since, ends_at, forgotten_at)
       SELECT 'name:' || n, 1, now() - interval '30 minutes', now() - interval '15 minutes', now() FROM generate_series(1, 25) n`,
    );
    for (const name of ['one', 'two', 'x'.repeat(1024)]) await fail(name);
    expect(await subjects()).toEqual(['address:192.0.2.1 3', 'name 1', 'name 1', 'name 1']);
    const [old] = await management.database.query('SELECT count(*) FROM login_failures WHERE forgotten_at <= now()');
    expect(old).toEqual({ count: '0' });
    const stored = JSON.stringify(await management.database.manager.find(LoginFailures));
    expect(stored).not.toMatch(/one|two|xxx/);
  });
});

describe('the wait after failed logins', () => {
  const waits = async (peer?: string) => Number((await login('root', 'wrong', { ...(peer && { peer }) })).retryAfter);
  const useUp = async () => {
    for (let n = 1; n <= 5; n++) expect(await fail('root')).toEqual(FAILED);
    return Math.ceil((await waits()) / 60);
  };

  it('security row 47: doubles when they are used up again, up to four hours', async () => {
    const minutes: number[] = [];
    for (let round = 1; round <= 6; round++) {
      minutes.push(await useUp());
      await later(minutes.at(-1) ?? 0);
    }
    expect(minutes).toEqual([15, 30, 60, 120, 240, 240]);
  });

  it('begins anew after a time without failures that is as long, and after a login', async () => {
    expect(await useUp()).toBe(15);
    await later(15);
    expect(await useUp()).toBe(30);
    await later(60);
    expect(await useUp()).toBe(15);
    await later(15);
    expect((await login('root', SUDO.password)).status).toBe(200);
    expect(await useUp()).toBe(15);
  });

  it.each([
    ['2001:db8:0:0::/64', 1, (n: number) => `2001:db8::${n}`],
    ['2001:db8:0:0::/56', 2, (n: number) => `2001:db8:0:${n}::1`],
    ['2001:db8:0::/48', 4, (n: number) => `2001:db8:0:${n}00::1`],
    ['2001:db8::/32', 16, (n: number) => `2001:db8:${n}::1`],
    ['192.0.2.1', 1, () => '192.0.2.1'],
    ['192.0.2.0/24', 4, (n: number) => `192.0.2.${n}`],
  ])('security row 47: with any names from %s comes after %i times those of an address', async (_, share, peer) => {
    const throttle = new LoginThrottle(management.database, readManagementEnv({ RAMPART_LOGIN_ADDRESS_FAILURES: '3' }));
    let allowed = 0;
    const begin = () => throttle.begin(throttle.attempt(`name${allowed}`, peer(allowed)));
    while (
      await begin().then(
        () => true,
        () => false,
      )
    )
      allowed += 1;
    expect(allowed).toBe(3 * share);
  });
});

describe('security row 47: strangers', () => {
  const known = { peer: '192.0.2.1' };
  const entries = async () => Number((await management.database.query('SELECT count(*) FROM audit_entries'))[0].count);

  it('strangers of one /48 with a name and a /64 for each of 600 requests keep no admin waiting for more than the queue, and fill no log', async () => {
    await management.database.query('DELETE FROM unknown_name_failures');
    const before = await entries();
    const verify = jest.spyOn(management.app.get(PasswordHasher), 'verify');
    const flood = Array.from({ length: 600 }, (_, n) => fail(`name${n}`, { peer: `2001:db8:7:${n.toString(16)}::1` }));
    await eventually('the queue is full', async (saw) => saw(verify.mock.calls).length > 3);
    const atSending = verify.mock.calls.length;
    const own = await login('root', SUDO.password, { peer: '203.0.113.77' });
    const position = verify.mock.calls.findIndex(([stored]) => stored !== undefined);
    const answers = await Promise.all(flood);
    expect(own.status).toBe(200);
    // What was let in while the request was on its way to the queue, the one that runs, and its own.
    expect(position - atSending).toBeLessThan(32);
    const codes = answers.map(({ body }) => body.code);
    // Those who come when the budget of the network is used up are throttled.
    const expected = ['LOGIN_FAILED', 'LOGIN_QUEUE_FULL', 'LOGIN_THROTTLED'];
    expect(codes.filter((code) => !expected.includes(code))).toEqual([]);
    expect(codes).toEqual(expect.arrayContaining(['LOGIN_FAILED', 'LOGIN_QUEUE_FULL']));
    expect(verify.mock.calls.length).toBeLessThanOrEqual(81);
    expect((await entries()) - before).toBe(2);
    verify.mockRestore();
  }, 60_000);

  it('strangers who fail a thousand times from 200 networks keep an admin out of none where it has logged in before', async () => {
    const { cookie } = await browserLogin('198.18.0.1');
    expect((await login('root', SUDO.password, known)).status).toBe(200);
    const throttle = management.app.get(LoginThrottle);
    for (let network = 1; network <= 200; network += 1)
      for (let n = 1; n <= 5; n += 1)
        await throttle.begin(throttle.attempt('root', `2001:${network.toString(16)}:0:${n}::1`));
    expect((await login('root', SUDO.password, { peer: '203.0.113.1' })).status).toBe(429);
    expect((await login('root', SUDO.password, { peer: '192.0.2.200' })).status).toBe(200);
    expect((await browserLogin('203.0.113.1', cookie)).status).toBe(200);
    // A cookie of another admin does not help.
    await management.plainAdmin('other');
    const { cookie: others } = await browserLogin('198.18.0.2', undefined, 'other');
    expect((await browserLogin('203.0.114.1', others)).status).toBe(429);
  }, 60_000);

  it('strangers in the network of an admin do not keep it out of a browser where it has logged in before', async () => {
    const { cookie } = await browserLogin('192.0.2.1');
    await failTimes(5, () => 'root');
    expect((await login('root', SUDO.password, known)).status).toBe(429);
    expect((await browserLogin('192.0.2.1', cookie)).status).toBe(200);
    const wrong = () => browserLogin('192.0.2.1', cookie, 'root', 'wrong');
    for (let n = 1; n <= 5; n += 1) expect((await wrong()).status).toBe(401);
    expect((await wrong()).status).toBe(429);
  });

  it('strangers who knew an old password are strangers after it has changed', async () => {
    const admin = { username: 'moved', password: SUDO.password, is_sudo: false };
    expect((await management.call('POST', '/api/admin', admin)).status).toBe(201);
    expect((await browserLogin('192.0.2.1', undefined, 'moved')).status).toBe(200);
    const origins = () =>
      management.database.query(
        `SELECT split_part(origin, ':', 1) AS kind FROM admin_origins JOIN admins ON admins.id = admin_id WHERE username = 'moved' ORDER BY origin`,
      );
    expect(await origins()).toEqual([{ kind: 'device' }, { kind: 'network' }]);
    await management.call('PUT', '/api/admin/moved', { password: 'another horse battery' });
    expect(await origins()).toEqual([]);
  });

  it('strangers with one browser for each login do not fill the table of known ones', async () => {
    const origins = management.app.get(KnownOrigins);
    for (let n = 1; n <= 40; n += 1) await origins.remember(1, `10.0.${n}.1`);
    const [{ count }] = await management.database.query('SELECT count(*) FROM admin_origins');
    expect(count).toBe('30');
  });

  it('strangers who have left are not waited for', async () => {
    const hasher = management.app.get(PasswordHasher);
    let go: () => void = () => undefined;
    const verify = jest.spyOn(hasher, 'verify').mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          go = () => resolve(false);
        }),
    );
    const origin = `http://127.0.0.1:${await management.listen()}`;
    const first = fail('first');
    await eventually('the first login has its turn', async (saw) => saw(verify.mock.calls).length === 1);
    const client = new AbortController();
    const waiting = jest.spyOn(LoginQueue.prototype, 'run');
    const gone = fetch(`${origin}${URL}`, {
      method: 'POST',
      body: new URLSearchParams({ username: 'gone', password: 'x' }),
      signal: client.signal,
    }).catch((error: Error) => error.name);
    await eventually('the second login waits', async (saw) => saw(waiting.mock.calls).length === 1);
    const [caller] = waiting.mock.calls[0] ?? [];
    client.abort();
    expect(await gone).toBe('AbortError');
    await eventually('management knows that the client has left', async (saw) => saw(caller?.signal?.aborted) === true);
    go();
    expect(await first).toEqual(FAILED);
    expect(verify).toHaveBeenCalledTimes(1);
    verify.mockRestore();
    waiting.mockRestore();
  });
});

describe('security row 47: failed logins with unknown names', () => {
  const reasons = () =>
    management.database.query(
      `SELECT address, difference FROM audit_entries WHERE action = 'admin.login_failed' AND target = 'admins' ORDER BY id`,
    );

  it('failed logins with unknown names are in the log once at once, and as a sum by network when the hour is over', async () => {
    const names = management.app.get(UnknownNames);
    await management.database.query('DELETE FROM unknown_name_failures');
    const before = (await reasons()).length;
    for (let n = 1; n <= 4; n += 1) await names.record(`198.51.100.${n}`);
    await names.record('2001:db8:1:2::1');
    const entry = (difference: object) => ({ address: null, difference });
    expect((await reasons()).slice(before)).toEqual([
      entry({ reason: { after: 'unknown_username' } }),
      entry({ reason: { after: 'unknown_username' } }),
    ]);
    await names.run(new Date());
    expect(await reasons()).toHaveLength(before + 2);
    const inAnHour = new Date(Date.now() + 3_600_000);
    await Promise.all([names.run(inAnHour), names.run(inAnHour)]);
    expect((await reasons()).slice(before + 2)).toEqual([
      entry({
        reason: { after: 'unknown_username' },
        network: { after: '198.51.100.0/24' },
        failures: { after: 4 },
        hour: { after: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/) },
      }),
    ]);
  });

  it('failed logins with unknown names from many networks share a sum beyond twenty', async () => {
    const names = management.app.get(UnknownNames);
    await management.database.query('DELETE FROM unknown_name_failures');
    const before = (await reasons()).length;
    for (let n = 1; n <= 50; n += 1) await names.record(`10.0.${n}.1`);
    expect(await reasons()).toHaveLength(before + 21);
    const [other] = await management.database.query(
      `SELECT count(*)::integer AS rows, max(failures) AS most FROM unknown_name_failures`,
    );
    expect(other).toEqual({ rows: 21, most: 30 });
  });
});

describe('the table of failed logins', () => {
  it('holds at most a hundred thousand rows; the oldest are deleted', async () => {
    await management.database.query(
      `INSERT INTO login_failures (subject, failures, since, ends_at, forgotten_at)
       SELECT 'name:' || n, 1, now(), now(), now() + make_interval(secs => 1000 - n / 1000.0) FROM generate_series(1, 100005) n`,
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

  it("security row 2: is the peer's, whatever headers a peer sends that is no proxy", async () => {
    expect(await counted({ peer: '192.0.2.1', forwarded: '198.51.100.1' })).toBe('address:192.0.2.1 1');
  });

  it('security row 2: is the last forwarded address that is not a trusted proxy; earlier ones are not believed', async () => {
    const forwarded = '203.0.113.66, 198.51.100.1, 10.1.1.1';
    expect(await counted({ peer: '10.0.0.1', forwarded })).toBe('address:198.51.100.1 1');
  });

  it('security row 2: cannot be forged to evade the limit', async () => {
    for (let n = 1; n <= 20; n++) {
      const forwarded = `203.0.113.${n}, 198.51.100.1`;
      expect(await fail(`name${n}`, { peer: '2001:db8:ffff::1', forwarded })).toEqual(FAILED);
    }
    expect(await fail('other', { peer: '10.0.0.1', forwarded: '203.0.113.99, 198.51.100.1' })).toEqual(THROTTLED);
  });

  it("is the proxy's own when it sends none, and any text that it sends", async () => {
    expect(await counted({ peer: '10.0.0.1' })).toBe('address:10.0.0.1 1');
    await management.database.query('DELETE FROM login_failures');
    expect(await counted({ peer: '10.0.0.1', forwarded: 'unknown' })).toMatch(/^address:[0-9a-f]{64} 1$/);
  });

  it('is truncated in the audit log when a proxy passes on a long text', async () => {
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
