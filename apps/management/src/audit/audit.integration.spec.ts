import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestManagement } from '../testing/test-management.js';
import { recordAudit } from './record-audit.js';

let management: TestManagement;
// The first entry is the creation of the sudo admin, which every test management begins with.
beforeAll(async () => {
  management = await TestManagement.start();
  await management.database.transaction(async (manager) => {
    await recordAudit(manager, {
      action: 'group.modify',
      target: 'group/1',
      before: { name: 'a' },
      after: { name: 'b' },
    });
    await recordAudit(manager, { action: 'group_bulk.add', target: 'users', after: { affected_users: 3 } });
    await recordAudit(manager, { action: 'user.delete', target: 'user/alice', before: { id: 4 } });
  });
});
afterAll(() => management?.close());

const list = async (query: string) => {
  const { status, body } = await management.call('GET', `/api/audit?${query}`);
  const { entries, next } = Object(body);
  return status === 200 ? { actions: entries.map(({ action }: { action: string }) => action), next } : { status, body };
};

describe('GET /api/audit', () => {
  it('lists entries newest first, with their differences', async () => {
    expect(await management.call('GET', '/api/audit?target=group/1')).toEqual({
      status: 200,
      body: {
        entries: [
          {
            id: expect.any(Number),
            at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
            actor: 'system',
            actor_id: null,
            token: null,
            session_id: null,
            address: null,
            action: 'group.modify',
            target: 'group/1',
            difference: { name: { before: 'a', after: 'b' } },
          },
        ],
        next: null,
      },
    });
  });

  it.each([
    ['action=group', ['group.modify']],
    ['action=group.modify', ['group.modify']],
    ['action=group.delete', []],
    ['action=user', ['user.delete']],
    ['actor=system', ['user.delete', 'group_bulk.add', 'group.modify', 'admin.create']],
    ['actor=nobody', []],
    ['actor=system&until=2020-01-01', []],
    [
      'actor=system&since=2020-01-01&until=2999-01-01T00:00:00Z',
      ['user.delete', 'group_bulk.add', 'group.modify', 'admin.create'],
    ],
    ['actor=system&since=4102444800', []],
  ])('filters entries by %s', async (query, actions) => {
    expect(await list(query)).toEqual({ actions, next: null });
  });

  it('continues after the previous page', async () => {
    const first = Object(await list('actor=system&limit=2'));
    expect(first).toEqual({ actions: ['user.delete', 'group_bulk.add'], next: expect.any(Number) });
    expect(await list(`actor=system&limit=2&before=${first.next}`)).toEqual({
      actions: ['group.modify', 'admin.create'],
      next: null,
    });
  });

  it('names invalid filters', async () => {
    expect(await list('limit=0&before=x&since=yesterday&actor=a&actor=b')).toEqual({
      status: 422,
      body: {
        detail: {
          limit: 'Input should be an integer from 1 to 1000',
          before: 'Input should be the next of the page before',
          since: 'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z',
          actor: 'Input should be a string',
        },
        code: 'INVALID_FIELDS',
      },
    });
  });
});

describe('the audit log', () => {
  it.each(['UPDATE audit_entries SET actor = $$x$$', 'DELETE FROM audit_entries', 'TRUNCATE audit_entries'])(
    'refuses %s',
    async (sql) => {
      await expect(management.asOwner(sql)).rejects.toThrow('the audit log is only ever added to');
    },
  );

  it('contains no change that was rolled back', async () => {
    const change = management.database.transaction(async (manager) => {
      await recordAudit(manager, { action: 'lost.change', target: 'x' });
      throw new Error('no');
    });
    await expect(change).rejects.toThrow('no');
    expect(await list('action=lost')).toEqual({ actions: [], next: null });
  });
});

describe('security row 118: who made a change', () => {
  const find = async (query: string) =>
    Object((await management.call('GET', `/api/audit?${query}`)).body).entries.map(
      ({ actor, token, session_id, action }: Record<string, unknown>) => ({ actor, token, session_id, action }),
    );

  it('an entry names the API token with which it was made, also for the batches of a bulk call, and finds it by its id', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const make = async (name: string, scope: string) =>
      Object((await management.call('POST', '/api/admin/tokens', { name, scope, expires_at })).body);
    const [bot, other] = [await make('bot', 'all'), await make('other', 'users')];
    await management.call('POST', '/api/user', { username: 'of-bot' }, bot.token);
    await management.call('POST', '/api/users/bulk/expire', { amount: 60 }, bot.token);
    await management.call('POST', '/api/user', { username: 'of-other' }, other.token);
    const by = { actor: 'root', token: { id: bot.id, name: 'bot' }, session_id: null };
    expect(await find(`token=${bot.id}`)).toEqual([
      { ...by, action: 'user.bulk_expire' },
      { ...by, action: 'user.create' },
      { ...by, action: 'api_token.read_secrets' },
    ]);
    await management.call('DELETE', `/api/token/${bot.id}`);
    expect(await find(`token=${bot.id}&action=user.create`)).toEqual([{ ...by, action: 'user.create' }]);
    expect(await find(`token=${other.id}&limit=1`)).toEqual([
      { ...by, token: { id: other.id, name: 'other' }, action: 'user.create' },
    ]);
  });

  it('an entry names the login with which it was made, and that of a login its own', async () => {
    const login = await management.plainAdmin('seller');
    await management.call('POST', '/api/user', { username: 'of-login' }, login);
    const [session] = Object((await management.call('GET', '/api/admin/sessions', undefined, login)).body).sessions;
    const by = { actor: 'seller', token: null, session_id: session.id };
    expect(await find('actor=seller')).toEqual([
      { ...by, action: 'user.create' },
      { ...by, action: 'admin.login' },
    ]);
  });
});
