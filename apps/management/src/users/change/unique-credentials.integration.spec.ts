import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { shadowsocks2022Key } from '@rampart/domain';
import { SUDO, TestManagement } from '../../testing/test-management.js';

let management: TestManagement;
let plain: string;
let created = 0;
beforeAll(async () => {
  management = await TestManagement.start();
  plain = await management.plainAdmin('plain');
});
afterAll(() => management?.close());
// What one test chooses must not be too much for the next one.
beforeEach(() => management.database.query('DELETE FROM login_failures'));

const MEMBERS = {
  vless: 'proxy_settings.vless.id',
  vmess: 'proxy_settings.vmess.id',
  trojan: 'proxy_settings.trojan.password',
  shadowsocks: 'proxy_settings.shadowsocks.password',
} as const;
type Protocol = keyof typeof MEMBERS;

const credential = (protocol: Protocol, value: string) => ({
  [protocol]: protocol === 'vless' || protocol === 'vmess' ? { id: value } : { password: value },
});
const create = (proxy_settings: object, token?: string) => {
  created += 1;
  return management.call('POST', '/api/user', { username: `user${created}`, proxy_settings }, token);
};
async function createdUser(proxy_settings: object = {}, token?: string) {
  const { status, body } = await create(proxy_settings, token);
  expect(status).toBe(201);
  return Object(body);
}
const taken = (protocol: Protocol) => ({
  status: 409,
  body: {
    detail: `Another user has the same ${MEMBERS[protocol]}: choose another one`,
    code: 'CREDENTIAL_EXISTS',
  },
});

const PASSWORD = 'a password of a user of root';
const ID = '5f0c2b0e-8a0d-4f6a-9d5c-2f1b7d3c9a11';

describe('the credentials of users', () => {
  it.each<[Protocol, string, string, string]>([
    ['vless', 'as it is', ID, ID],
    ['vless', 'in capitals', ID, ID.toUpperCase()],
    ['vless', 'with other bytes 6 and 7, which engines ignore', ID, `${ID.slice(0, 14)}7abc${ID.slice(18)}`],
    ['vmess', 'as it is', ID, ID],
    ['vmess', 'in capitals', ID, ID.toUpperCase()],
    ['trojan', 'as it is', PASSWORD, PASSWORD],
    ['shadowsocks', 'as it is', PASSWORD, PASSWORD],
    ['shadowsocks', 'as its key of 16 bytes', PASSWORD, shadowsocks2022Key('2022-blake3-aes-128-gcm', PASSWORD)],
    ['shadowsocks', 'as its key of 32 bytes', PASSWORD, shadowsocks2022Key('2022-blake3-aes-256-gcm', PASSWORD)],
  ])(
    'security row 52: a credential of another user for %s, %s, is refused for a new and an old user',
    async (protocol, _how, theirs, given) => {
      const victim = await createdUser(credential(protocol, theirs));
      const own = await createdUser({}, plain);
      expect(await create(credential(protocol, given), plain)).toEqual(taken(protocol));
      const change = { proxy_settings: credential(protocol, given), note: 'changed' };
      expect(await management.call('PUT', `/api/user/${own.username}`, change, plain)).toEqual(taken(protocol));
      const { body } = await management.call('GET', `/api/user/${own.username}`);
      expect(body).toMatchObject({ note: null, proxy_settings: own.proxy_settings });
      // A credential that nobody has any more is free.
      await management.call('DELETE', `/api/user/${victim.username}`);
      expect((await management.call('PUT', `/api/user/${own.username}`, change, plain)).status).toBe(200);
      await management.call('DELETE', `/api/user/${own.username}`);
    },
  );

  it('security row 52: a key of 16 bytes and one of 32 that an inbound derives from it are one credential', async () => {
    const short = Buffer.alloc(16, 7).toString('base64');
    const long = shadowsocks2022Key('2022-blake3-aes-256-gcm', short);
    await createdUser(credential('shadowsocks', short));
    expect(await create(credential('shadowsocks', long), plain)).toEqual(taken('shadowsocks'));
  });

  it('stay their own: what is sent back unchanged, revoked or of another protocol is accepted', async () => {
    const { username, proxy_settings } = await createdUser();
    const put = (body: object) => management.call('PUT', `/api/user/${username}`, body);
    expect((await put({ proxy_settings })).status).toBe(200);
    const vmess = { id: proxy_settings.vless.id };
    expect((await put({ proxy_settings: { vmess } })).status).toBe(200);
    expect((await management.call('POST', `/api/user/${username}/revoke_sub`)).status).toBe(200);
    // What was revoked belongs to nobody.
    await createdUser(proxy_settings);
  });

  it('security row 52: of users who are created at once with the same credential exactly one is', async () => {
    const vless = { id: randomUUID() };
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ vless })));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201, 409, 409, 409, 409, 409,
    ]);
  });

  it('differ in bulk creation, and changes of many keep them', async () => {
    await management.call('POST', '/api/group', { name: 'group', inbound_tags: ['Shadowsocks TCP'] });
    const template = await management.call('POST', '/api/user_template', { name: 'template', group_ids: [1] });
    const body = { user_template_id: Object(template.body).id, count: 500, strategy: 'random' };
    expect(await management.call('POST', '/api/users/bulk/from_template', body)).toMatchObject({
      status: 201,
      body: { created: 500 },
    });
    expect((await management.call('POST', '/api/users/bulk/proxy_settings', { method: 'aes-128-gcm' })).status).toBe(
      200,
    );
    const [counted] = await management.database.query(
      `SELECT count(*)::integer AS users, count(DISTINCT vless)::integer AS vless, count(DISTINCT vmess)::integer AS vmess,
         count(DISTINCT trojan)::integer AS trojan, count(DISTINCT shadowsocks)::integer AS shadowsocks
       FROM user_credential_keys JOIN user_proxy_settings USING (user_id) WHERE clashes = '{}'`,
    );
    const { users } = counted;
    expect(users).toBeGreaterThan(500);
    expect(counted).toEqual({ users, vless: users, vmess: users, trojan: users, shadowsocks: users });
  });
});

describe('security row 74: credentials of others that an admin guesses', () => {
  const THROTTLED = {
    status: 429,
    body: {
      detail: 'Too many credentials of other users were chosen: leave credentials out, or try again later',
      code: 'CREDENTIALS_THROTTLED',
    },
  };
  const later = (minutes: number) =>
    management.database.query(
      `UPDATE login_failures SET since = since - moved, ends_at = ends_at - moved, forgotten_at = forgotten_at - moved
       FROM make_interval(mins => $1) AS moved`,
      [minutes],
    );

  it('credentials of others that an admin guesses are told ten times in an hour, and then no choice is tried, right or wrong', async () => {
    const guesser = await management.plainAdmin('guesser');
    const victims = [];
    for (let n = 0; n < 12; n += 1) victims.push(await createdUser(credential('trojan', `short${n}`)));
    const own = await createdUser(credential('trojan', 'of an own user'), guesser);
    const change = (body: object, token = guesser) => management.call('PUT', `/api/user/${own.username}`, body, token);
    // Parallel guesses pass no limit.
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 2 === 0
          ? create(credential('trojan', `short${n}`), guesser)
          : change({ proxy_settings: credential('trojan', `short${n}`) }),
      ),
    );
    const inOrder = answers.toSorted((one, other) => one.status - other.status);
    expect(inOrder).toEqual([...Array<object>(10).fill(taken('trojan')), THROTTLED, THROTTLED]);
    // What is not taken tells nothing either.
    expect(await create(credential('trojan', 'nobody has this'), guesser)).toEqual(THROTTLED);
    expect(await change({ proxy_settings: credential('vmess', randomUUID()) })).toEqual(THROTTLED);
    const { headers } = await management.request(
      'POST',
      '/api/user',
      { username: 'throttled', proxy_settings: credential('trojan', 'short0') },
      guesser,
    );
    expect(Number(headers['retry-after'])).toBeGreaterThan(59 * 60);
    // All else goes on: random credentials, what is sent back, flow and method, and other admins.
    expect((await create({}, guesser)).status).toBe(201);
    expect((await change({ proxy_settings: own.proxy_settings, note: 'sent back' })).status).toBe(200);
    expect((await change({ proxy_settings: { shadowsocks: { method: 'aes-128-gcm' } } })).status).toBe(200);
    expect((await management.call('POST', `/api/user/${own.username}/revoke_sub`, undefined, guesser)).status).toBe(
      200,
    );
    expect((await create(credential('trojan', 'chosen by another'), plain)).status).toBe(201);
    // Another password or a new login changes nothing; time does.
    const again = await management.login('guesser', SUDO.password);
    expect(await create(credential('trojan', 'nobody has this'), again)).toEqual(THROTTLED);
    await later(60);
    expect((await create(credential('trojan', 'nobody has this'), again)).status).toBe(201);
    for (let n = 0; n < 10; n += 1)
      expect(await create(credential('trojan', `short${n}`), again)).toEqual(taken('trojan'));
    await later(60);
    // Whoever uses it up again waits twice as long.
    expect(await create(credential('trojan', 'short0'), again)).toEqual(THROTTLED);
    await later(60);
    expect(await create(credential('trojan', 'short0'), again)).toEqual(taken('trojan'));
  });

  it('credentials of others that an admin guesses by an API token count for its admin', async () => {
    const guesser = await management.plainAdmin('guesser2');
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const made = await management.call(
      'POST',
      '/api/admin/tokens',
      { name: 'bot', scope: 'users', expires_at },
      guesser,
    );
    await createdUser(credential('trojan', 'tiny'));
    for (let n = 0; n < 10; n += 1)
      expect(await create(credential('trojan', 'tiny'), Object(made.body).token)).toEqual(taken('trojan'));
    expect(await create(credential('trojan', 'tiny'), guesser)).toEqual(THROTTLED);
  });

  it('credentials of others that a sudo admin chooses are always told, since it sees them anyway', async () => {
    await createdUser(credential('trojan', 'seen'));
    for (let n = 0; n < 12; n += 1) expect(await create(credential('trojan', 'seen'))).toEqual(taken('trojan'));
  });
});
