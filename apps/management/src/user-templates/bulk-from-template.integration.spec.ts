import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { currentRevision } from '../database/revision.js';
import { GB, invalid, TEMPLATE_DISABLED, TEMPLATE_NOT_FOUND, TemplateFixture } from './testing/template-fixture.js';

let fixture: TemplateFixture;
beforeAll(async () => {
  fixture = await TemplateFixture.start();
});
afterAll(() => fixture?.close());

const createMany = (body: object, token?: string) =>
  fixture.management.call('POST', '/api/users/bulk/from_template', body, token);

describe('POST /api/users/bulk/from_template', () => {
  it('writes one audit entry, which counts the users and contains no link', async () => {
    const user_template_id = await fixture.template();
    const request = { user_template_id, count: 2, strategy: 'random', note: 'audited' };
    await createMany(request, fixture.plain);
    const { body } = await fixture.management.call('GET', '/api/audit?action=user.bulk_create&limit=1');
    expect(body).toMatchObject({ entries: [{ actor: 'plain', target: 'users' }] });
    const { difference } = Object(body).entries[0];
    expect(Object.entries(difference).map(([name, change]) => [name, Reflect.get(Object(change), 'after')])).toEqual([
      ...Object.entries(request),
      ['affected_users', 2],
    ]);
  });

  it('creates a sequence, and drops the digits at the end of the base', async () => {
    const user_template_id = await fixture.template({
      username_prefix: 'p-',
      username_suffix: '-s',
      data_limit: GB,
      group_ids: [1, 2],
      extra_settings: { flow: 'xtls-rprx-vision' },
    });
    const revision = await currentRevision(fixture.manager);
    const request = { user_template_id, count: 3, strategy: 'sequence', username: 'ali77', start_number: 9 };
    const { status, body } = await createMany({ ...request, note: 'a batch' }, fixture.plain);
    const names = ['p-ali9-s', 'p-ali10-s', 'p-ali11-s'];
    const users = await Promise.all(names.map((name) => fixture.management.call('GET', `/api/user/${name}`)));
    const urls = users.map((user) => Reflect.get(Object(user.body), 'subscription_url'));
    expect({ status, body }).toEqual({ status: 201, body: { subscription_urls: urls, created: 3 } });
    for (const user of users) {
      expect(user.body).toMatchObject({
        status: 'active',
        data_limit: GB,
        note: 'a batch',
        group_ids: [1, 2],
        proxy_settings: { vless: { flow: 'xtls-rprx-vision' } },
        admin: { username: 'plain' },
      });
    }
    expect(new Set(users.map(({ body }) => JSON.stringify(Reflect.get(Object(body), 'proxy_settings')))).size).toBe(3);
    expect(await fixture.namesSince(revision)).toEqual(names);
    expect(await currentRevision(fixture.manager)).toBe(revision + 1n);
  });

  it('counts from 1, skips names that exist and leaves them as they are', async () => {
    const user_template_id = await fixture.template();
    await fixture.management.call('POST', '/api/user', { username: 'reza2', note: 'the first' });
    const revision = await currentRevision(fixture.manager);
    const { status, body } = await createMany({ user_template_id, count: 3, strategy: 'sequence', username: 'reza' });
    expect({ status, body }).toMatchObject({ status: 201, body: { created: 2 } });
    expect(await fixture.namesSince(revision)).toEqual(['reza1', 'reza3']);
    expect(await fixture.management.call('GET', '/api/user/reza2')).toMatchObject({
      body: { note: 'the first', group_ids: [] },
    });
    const again = { user_template_id, count: 2, strategy: 'sequence', username: 'reza1', start_number: null };
    expect(await createMany(again)).toEqual({ status: 201, body: { subscription_urls: [], created: 0 } });
  });

  it('creates random names between prefix and suffix', async () => {
    const user_template_id = await fixture.template({ username_prefix: 'r-', username_suffix: '-z' });
    const revision = await currentRevision(fixture.manager);
    const { status, body } = await createMany({ user_template_id, count: 500, strategy: 'random', username: '' });
    expect({ status, body }).toMatchObject({ status: 201, body: { created: 500 } });
    const names = await fixture.namesSince(revision);
    expect(names.filter((name) => /^r-[A-Z0-9]{5}-z$/.test(name))).toHaveLength(500);
    expect(new Set(Reflect.get(Object(body), 'subscription_urls')).size).toBe(500);
  });

  it('draws another random name when one exists', async () => {
    const user_template_id = await fixture.template({ username_prefix: 'again-' });
    await fixture.management.asOwner(
      `CREATE FUNCTION taken() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
    );
    // The trigger makes every name taken whose random part begins with one of the letters A to I.
    await fixture.management.asOwner(
      `CREATE TRIGGER taken BEFORE INSERT ON users FOR EACH ROW
       WHEN (NEW.username ~ '^again-[A-I]') EXECUTE FUNCTION taken()`,
    );
    expect(await createMany({ user_template_id, count: 100, strategy: 'random' })).toMatchObject({
      status: 201,
      body: { created: 100 },
    });
    await fixture.management.asOwner('DROP FUNCTION taken CASCADE');
  });

  const COUNT = 'Input should be an integer from 1 to 500';
  const sequence = { strategy: 'sequence', username: 'sequel' };
  it.each([
    [{ count: 0 }, { count: COUNT }],
    [{ count: 501 }, { count: COUNT }],
    [{ count: '5' }, { count: COUNT }],
    [{ count: undefined }, { count: 'Field required' }],
    [{ strategy: 'other' }, { strategy: "Input should be one of 'random', 'sequence'" }],
    [{ strategy: undefined }, { strategy: 'Field required' }],
    [{ user_template_id: undefined }, { user_template_id: 'Field required' }],
    [{ note: 'x'.repeat(501) }, { note: 'Input should have at most 500 characters' }],
    [{ username: 'ali' }, { username: "username must be null when strategy is 'random'" }],
    [{ start_number: 1 }, { start_number: "start_number must be null when strategy is 'random'" }],
    [{ start_number: 0 }, { start_number: "start_number must be null when strategy is 'random'" }],
    [{ ...sequence, username: undefined }, { username: "username is required when strategy is 'sequence'" }],
    [{ ...sequence, username: null }, { username: "username is required when strategy is 'sequence'" }],
    [{ ...sequence, username: '' }, { username: "username is required when strategy is 'sequence'" }],
    [{ ...sequence, username: 'x'.repeat(129) }, { username: 'Input should have at most 128 characters' }],
    [{ ...sequence, username: 'x'.repeat(127), start_number: 9 }, { username: 'Username must be 3-128 characters' }],
    [{ ...sequence, username: '77' }, { username: 'Username must be 3-128 characters' }],
    [{ ...sequence, username: 'ali reza' }, { username: 'Username can only contain a-z, A-Z, 0-9, -, _, @ and .' }],
    [{ ...sequence, start_number: -1 }, { start_number: 'Input should be an integer from 0 to 2147483647' }],
  ])('refuses %j', async (more, detail) => {
    const user_template_id = await fixture.template();
    const before = await fixture.state();
    expect(await createMany({ user_template_id, count: 2, strategy: 'random', ...more })).toEqual(invalid(detail));
    expect(await fixture.state()).toEqual(before);
  });

  it('refuses a prefix and suffix that leave no room for a name', async () => {
    const user_template_id = await fixture.template({ username_prefix: 'a b' });
    const before = await fixture.state();
    expect(await createMany({ user_template_id, count: 2, strategy: 'random' })).toEqual(
      invalid({ username: 'Username can only contain a-z, A-Z, 0-9, -, _, @ and .' }),
    );
    expect(await fixture.state()).toEqual(before);
  });

  it('refuses an unknown and a disabled template', async () => {
    const disabled = await fixture.template({ is_disabled: true });
    const before = await fixture.state();
    const request = { count: 2, strategy: 'random' };
    expect(await createMany({ ...request, user_template_id: 4711 })).toEqual(TEMPLATE_NOT_FOUND);
    expect(await createMany({ ...request, user_template_id: disabled })).toEqual(TEMPLATE_DISABLED);
    expect(await fixture.state()).toEqual(before);
  });
});
