import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { SUDO, TestManagement } from '../../testing/test-management.js';

/** Statements that background tasks may run at any time. */
const BACKGROUND =
  /pg_try_advisory|^SELECT 1$|DELETE FROM user_tombstones|FROM nodes|FROM pg_locks|counter_readings|LISTEN/;

let management: TestManagement;
let base: string;
let headers: Record<string, string>;
let groupId: number;
beforeAll(async () => {
  management = await TestManagement.start();
  base = `http://127.0.0.1:${await management.listen()}`;
  const token = await management.login(SUDO.username, SUDO.password);
  headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const group = await management.call('POST', '/api/group', { name: 'friends', inbound_tags: ['Shadowsocks TCP'] });
  groupId = Object(group.body).id;
});
afterAll(() => management?.close());

/**
 * The first words of the statements that a request runs, in their order. Statements that are sent before the answer to an
 * earlier one has come are joined: they cost one round trip.
 */
async function roundTripsOf(method: string, path: string, body?: object): Promise<string[]> {
  const trips: string[][] = [];
  let isAnswered = true;
  const query = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given) {
    const [statement, ...more] = given as unknown[];
    const name = typeof statement === 'string' ? statement : nameOf(Object(statement));
    if (BACKGROUND.test(name)) return query.call(this, statement, ...more) as never;
    const words = name
      .split(/\s/, 2)
      .join(' ')
      .replace(/^update_user_.*/, 'update_user');
    if (isAnswered) trips.push([words]);
    else trips.at(-1)?.push(words);
    isAnswered = false;
    const answered = () => {
      isAnswered = true;
    };
    const callback = more.findIndex((one) => typeof one === 'function');
    const inform = more[callback] as ((...result: unknown[]) => void) | undefined;
    if (inform)
      more[callback] = (...result: unknown[]) => {
        answered();
        inform(...result);
      };
    const answer = query.call(this, statement, ...more);
    if (answer instanceof Promise) answer.then(answered, answered);
    return answer as never;
  });
  try {
    const answer = await fetch(`${base}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    expect(answer.status).toBeLessThan(300);
    await answer.arrayBuffer();
    return trips.map((statements) => statements.join(' + '));
  } finally {
    spy.mockRestore();
  }
}

const nameOf = ({ name, text }: { name?: string; text?: string }): string => name ?? text ?? '';

describe('the statements of a request that changes one user', () => {
  it('POST of one user takes four round trips to the database', async () => {
    const body = { username: 'alice', group_ids: [groupId], data_limit: 5 };
    expect(await roundTripsOf('POST', '/api/user', body)).toEqual([
      'actors',
      'START TRANSACTION + next_revision + find_settings_section + lock_groups',
      'insert_user',
      'insert_audit_entry + COMMIT',
    ]);
  });

  it('POST of one user from a template takes seven round trips to the database', async () => {
    const template = { name: 'monthly', group_ids: [groupId], data_limit: 7 };
    const { body } = await management.call('POST', '/api/user_template', template);
    const request = { username: 'bob', user_template_id: Object(body).id };
    expect(await roundTripsOf('POST', '/api/user/from_template', request)).toEqual([
      'actors',
      'START TRANSACTION + next_revision + find_settings_section',
      'SELECT "UserTemplate"."id"',
      'SELECT user_template_id',
      'lock_groups',
      'insert_user',
      'insert_audit_entry + COMMIT',
    ]);
  });

  it('PUT of one user takes four round trips to the database, and one more where nodes must hear of it', async () => {
    expect(await roundTripsOf('PUT', '/api/user/alice', { note: 'paid', data_limit: 6 })).toEqual([
      'actors',
      'START TRANSACTION + lock_revision + locked_user',
      'update_user',
      'insert_audit_entry + COMMIT',
    ]);
    expect(await roundTripsOf('PUT', '/api/user/alice', { status: 'disabled' })).toEqual([
      'actors',
      'START TRANSACTION + lock_revision + locked_user',
      'update_user',
      'next_revision',
      'raise_revision_of + insert_audit_entry + COMMIT',
    ]);
  });

  it('DELETE of one user takes six round trips to the database', async () => {
    expect(await roundTripsOf('DELETE', '/api/user/alice')).toEqual([
      'actors',
      'START TRANSACTION + lock_revision + locked_user',
      'lock_revision',
      'WITH locked',
      'next_revision',
      'insert_user_tombstones + insert_audit_entry + COMMIT',
    ]);
  });
});
