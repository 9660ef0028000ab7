import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { done, failed, RampartFixture } from './testing/run-rampart.js';

let rampart: RampartFixture;
beforeAll(async () => {
  rampart = await RampartFixture.start();
  const { management } = rampart;
  await management.database.query("INSERT INTO groups (name, inbound_tags) VALUES ('friends', '{}')");
  await management.plainAdmin('reseller');
}, 60_000);
beforeEach(() => rampart.management.database.query('DELETE FROM users'));
afterAll(() => rampart?.close());

const run: RampartFixture['run'] = (...command) => rampart.run(...command);
const userOf = async (username: string) =>
  Object((await rampart.management.call('GET', `/api/user/${username}`)).body) as Record<string, unknown>;

describe('rampart user add', () => {
  it('creates a user that belongs to no admin, and prints its subscription URL', async () => {
    const { code, stdout, stderr } = await run('user add anna');
    const user = await userOf('anna');
    expect({ code, stdout, stderr }).toEqual(
      done(
        `Created the user anna, whose subscription is empty without a group (--group)\n${user['subscription_url']}\n`,
      ),
    );
    expect(user).toMatchObject({ admin: null, data_limit: 0, expire: 0, group_ids: [], note: null, status: 'active' });
    const [entry] = await rampart.management.database.manager.find(AuditEntry, { order: { id: 'DESC' }, take: 1 });
    expect(entry).toMatchObject({ actor: 'local', action: 'user.create', target: 'user/anna' });
  });

  it('takes groups, a limit, an end, a note and an admin', async () => {
    const words = 'user add berta --group friends --limit 1.5GB --expire 2999-01-31 --note hello --admin reseller';
    expect((await run(words)).code).toBe(0);
    const groups = Object((await rampart.management.call('GET', '/api/groups')).body).groups as { id: number }[];
    expect(await userOf('berta')).toMatchObject({
      admin: { username: 'reseller' },
      data_limit: 1_610_612_736,
      expire: '2999-01-31T00:00:00.000Z',
      group_ids: [groups[0]?.id],
      note: 'hello',
    });
  });

  it.each([
    ['user add a', 'username: Username must be 3-128 characters\n'],
    ['user add carla --group nobody', 'There is no group "nobody"\n'],
    ['user add carla --admin nobody', 'Admin not found\n'],
    [
      'user add carla --expire soon',
      'expire: Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z\n',
    ],
  ])('prints why "%s" is refused, and creates nobody', async (words, stderr) => {
    expect(await run(words)).toEqual(failed(stderr));
    expect(await rampart.jsonOf('user list')).toEqual({ users: [], total: 0 });
  });

  it('refuses a limit that is no size as wrong usage', async () => {
    expect(await run('user add carla --limit 5XB')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        "error: option '--limit <size>' argument '5XB' is invalid. It must be a size such as 500MB, 10GB or 1.5TB.\n(add --help for what is possible)\n",
    });
  });
});

describe('rampart user modify, disable, enable, reset and remove', () => {
  beforeEach(() => run('user add anna --group friends --limit 10GB --expire 2999-01-31 --note first'));

  it('rampart user modify changes what is given and leaves the rest', async () => {
    const { version: _, ...before } = await userOf('anna');
    expect(await run('user modify anna --limit 20GB')).toEqual(done('Changed the user anna\n'));
    expect(await userOf('anna')).toMatchObject({ ...before, data_limit: 21_474_836_480, edit_at: expect.any(String) });
    await run('user modify anna --limit unlimited --expire never');
    expect(await userOf('anna')).toMatchObject({ data_limit: 0, expire: 0, note: 'first' });
    await rampart.management.database.query("INSERT INTO groups (name, inbound_tags) VALUES ('guests', '{}')");
    await run('user modify anna --group guests --expire 2999-02-01T12:00:00Z');
    expect(await userOf('anna')).toMatchObject({ expire: '2999-02-01T12:00:00.000Z', note: 'first' });
    expect((await run('user show anna')).stdout).toMatch(/^groups +guests$/m);
  });

  it('rampart user modify refuses to change nothing, an unknown group and an unknown user', async () => {
    const before = await userOf('anna');
    const nothing = 'Nothing is given to change: --group, --limit, --expire or --note.\n';
    expect(await run('user modify anna')).toEqual(failed(nothing));
    expect(await run('user modify anna --group nobody')).toEqual(failed('There is no group "nobody"\n'));
    expect(await run('user modify nobody --limit 1GB')).toEqual(failed('User not found\n'));
    expect(await userOf('anna')).toEqual(before);
  });

  it('rampart user disable refuses a user until rampart user enable', async () => {
    expect(await run('user disable anna')).toEqual(done('The user anna is disabled\n'));
    expect(await userOf('anna')).toMatchObject({ status: 'disabled' });
    expect(await run('user enable anna')).toEqual(done('The user anna is active\n'));
    expect(await userOf('anna')).toMatchObject({ status: 'active' });
  });

  it('rampart user enable says that a user is beyond its limit, and rampart user reset lets it in again', async () => {
    await rampart.management.database.query("UPDATE users SET used_traffic = data_limit WHERE username = 'anna'");
    expect(await run('user enable anna')).toEqual(done('The user anna is limited\n'));
    expect(await run('user reset anna')).toEqual(done('The user anna has used 0 B and is active\n'));
    expect(await userOf('anna')).toMatchObject({ used_traffic: 0, status: 'active' });
  });

  it('rampart user remove deletes a user', async () => {
    expect(await run('user remove anna')).toEqual(done('Deleted the user anna\n'));
    expect(await rampart.jsonOf('user list')).toEqual({ users: [], total: 0 });
    expect(await run('user remove anna')).toEqual(failed('User not found\n'));
  });
});

describe('rampart user list, show and link', () => {
  beforeEach(async () => {
    await run('user add anna --limit 10GB --expire 2999-01-31 --admin reseller');
    await run('user add berta');
    await rampart.management.database.query("UPDATE users SET used_traffic = 1024 WHERE username = 'anna'");
  });

  it('rampart user list shows users as a table, with the number of all', async () => {
    expect(await run('user list')).toEqual(
      done(
        [
          'USERNAME  STATUS  USED  LIMIT      EXPIRES                   ONLINE  ADMIN',
          'anna      active  1 KB  10 GB      2999-01-31T00:00:00.000Z  never   reseller',
          'berta     active  0 B   unlimited  never                     never   -',
          '2 of 2 users',
          '',
        ].join('\n'),
      ),
    );
    expect((await run('user list --limit 1 --offset 1')).stdout).toMatch(/\nberta .*\n1 of 2 users\n$/);
    expect((await run('user list --search ANN')).stdout).toMatch(/\nanna .*\n1 of 1 users\n$/);
    expect((await run('user list --admin reseller --status active')).stdout).toMatch(/\nanna .*\n1 of 1 users\n$/);
    expect(await rampart.jsonOf('user list')).toEqual((await rampart.management.call('GET', '/api/users')).body);
  });

  it('rampart user show leaves out the credentials of a user; --json has them', async () => {
    const user = await userOf('anna');
    const { code, stdout } = await run('user show anna');
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 7)).toEqual([
      'username      anna',
      `id            ${user['id']}`,
      'status        active',
      'used          1 KB',
      'limit         10 GB',
      'reset         no_reset',
      'expires       2999-01-31T00:00:00.000Z',
    ]);
    expect(stdout).toContain(`\nsubscription  ${user['subscription_url']}\n`);
    const uuid = String(Object(Object(user['proxy_settings']).vless).id);
    expect([uuid.length, stdout.includes(uuid)]).toEqual([36, false]);
    expect(await rampart.jsonOf('user show anna')).toEqual(user);
  });

  it('rampart user show names the groups of a user', async () => {
    await run('user add cara --group friends');
    const groups = (text: string) => /^groups +(.*)$/m.exec(text)?.[1];
    expect(groups((await run('user show cara')).stdout)).toBe('friends');
    expect(groups((await run('user show berta')).stdout)).toBe('none');
  });

  it('rampart user link prints the subscription URL alone', async () => {
    const { subscription_url } = await userOf('anna');
    expect(await run('user link anna')).toEqual(done(`${subscription_url}\n`));
    expect(await rampart.jsonOf('user link anna')).toEqual({ username: 'anna', subscription_url });
  });

  it.each(['user show nobody', 'user link nobody'])('rampart %s says that the user does not exist', async (words) => {
    expect(await run(words)).toEqual(failed('User not found\n'));
  });

  it('rampart user show prints no control characters of a note', async () => {
    await rampart.management.call('PUT', '/api/user/anna', { note: 'red \u001b[31m\u0007' });
    expect((await run('user show anna')).stdout).toContain('\nnote          red \\u001b[31m\\u0007\n');
  });
});
