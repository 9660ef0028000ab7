import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { send } from '../testing/mutations/mutation.js';
import { MUTATIONS } from '../testing/mutations/mutations.js';
import { reachesMany } from '../testing/routes.js';
import { TestManagement } from '../testing/test-management.js';

const NUMBER = 987_654_321;
const TEXT = 'mass-assigned';

/** Columns that no request may write, in snake case and camel case. */
const ROW_MEMBERS = {
  ...Object.fromEntries(
    [
      'id',
      'admin_id',
      'user_id',
      'group_id',
      'node_id',
      'used_traffic',
      'past_traffic',
      'lifetime_used_traffic',
      'total_users',
      'subscription_generation',
      'token_version',
      'revision',
      'synced_revision',
      'start_revision',
      'traffic_number',
      'uplink',
      'downlink',
    ].flatMap((name) => [name, camelCase(name)].map((spelling) => [spelling, NUMBER])),
  ),
  ...Object.fromEntries(
    [
      'created_at',
      'edit_at',
      'online_at',
      'password_hash',
      'api_key_encrypted',
      'traffic_ledger',
      'pinned_core_sealed',
      'message',
    ]
      .flatMap((name) => [name, camelCase(name)])
      .map((name) => [name, TEXT]),
  ),
  is_sudo: true,
  isSudo: true,
  admin: { id: NUMBER, username: TEXT },
  unheard_of: TEXT,
};

/** Members whose content is stored as it was sent. */
const FREE_FORM = new Set(['config']);

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

describe('security row 8: members that a request may not write', () => {
  it.each(Object.entries(MUTATIONS))(
    'members that a request may not write are dropped or refused by %s',
    async (route, { prepare }) => {
      const request = await prepare(management);
      const sent = send(management, route, { ...request, body: withRowMembers(request.body ?? {}) });
      if (reachesMany(route))
        await expect(sent).rejects.toThrow('422 {"detail":{"id":"Unknown field. This call takes ');
      const answer = reachesMany(route) ? null : await sent;
      for (const text of [JSON.stringify(answer ?? null), ...(await allRows())]) {
        expect(text).not.toContain(String(NUMBER));
        expect(text).not.toContain(TEXT);
      }
      expect(await management.database.query('SELECT username FROM admins WHERE is_sudo')).toEqual([
        { username: 'root' },
      ]);
    },
  );
});

/** Adds ROW_MEMBERS to every object of a body; members that the body has itself stay. */
function withRowMembers(value: object): object {
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? withRowMembers(item) : item));
  const own = Object.entries(value).map(([name, member]) => {
    return [name, isObject(member) && !FREE_FORM.has(name) ? withRowMembers(member) : member];
  });
  return { ...ROW_MEMBERS, ...Object.fromEntries(own) };
}

/** All rows of all tables, as texts. */
async function allRows(): Promise<string[]> {
  const tables = await management.database.query<{ name: string }[]>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const all = tables.map(({ name }) => `SELECT t::text AS text FROM ${name} t`).join(' UNION ALL ');
  return (await management.asOwner<{ text: string }>(all)).map(({ text }) => text);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
