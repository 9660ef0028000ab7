import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { listen } from '@rampart/program';
import pg from 'pg';
import { readManagementEnv } from '../../env/management-env.js';
import { SUDO, TestManagement } from '../../testing/test-management.js';

/** Statements that background tasks may run at any time. */
const BACKGROUND = /pg_try_advisory|^SELECT 1$|user_tombstones|FROM nodes|FROM pg_locks|counter_readings|LISTEN/;

let management: TestManagement;
let base: string;
let headers: Record<string, string>;
let groupId: number;
beforeAll(async () => {
  management = await TestManagement.start();
  const { address } = readManagementEnv({ RAMPART_HOST: '127.0.0.1', RAMPART_PORT: '0' });
  base = `http://${await listen(management.app, address)}`;
  const token = await management.login(SUDO.username, SUDO.password);
  headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const group = await management.call('POST', '/api/group', { name: 'friends', inbound_tags: ['Shadowsocks TCP'] });
  groupId = Object(group.body).id;
});
afterAll(() => management?.close());

/** The first words of the statements that a request runs, in their order. */
async function statementsOf(method: string, path: string, body?: object): Promise<string[]> {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  try {
    const answer = await fetch(`${base}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    expect(answer.status).toBeLessThan(300);
    await answer.arrayBuffer();
    const texts = query.mock.calls.map(([given]: unknown[]) =>
      typeof given === 'string'
        ? given
        : String(Reflect.get(Object(given), 'name') ?? Reflect.get(Object(given), 'text')),
    );
    return texts.filter((text) => !BACKGROUND.test(text)).map((text) => text.split(/\s/, 2).join(' '));
  } finally {
    query.mockRestore();
  }
}

describe('the statements of a request that changes one user', () => {
  it('POST of one user runs eight statements, the transaction waits for none but its own', async () => {
    const body = { username: 'alice', group_ids: [groupId], data_limit: 5 };
    expect(await statementsOf('POST', '/api/user', body)).toEqual([
      'actors',
      'find_settings_section',
      'START TRANSACTION',
      'next_revision',
      'lock_groups',
      'insert_user',
      'insert_audit_entry',
      'COMMIT',
    ]);
  });

  it('POST of one user from a template runs ten statements, the transaction waits for none but its own', async () => {
    const template = { name: 'monthly', group_ids: [groupId], data_limit: 7 };
    const { body } = await management.call('POST', '/api/user_template', template);
    const request = { username: 'bob', user_template_id: Object(body).id };
    expect(await statementsOf('POST', '/api/user/from_template', request)).toEqual([
      'actors',
      'find_settings_section',
      'START TRANSACTION',
      'next_revision',
      'SELECT "UserTemplate"."id"',
      'SELECT user_template_id',
      'lock_groups',
      'insert_user',
      'insert_audit_entry',
      'COMMIT',
    ]);
  });

  it('PUT of one user runs eight statements, and two more where nodes must hear of it', async () => {
    const unheard = await statementsOf('PUT', '/api/user/alice', { note: 'paid', data_limit: 6 });
    expect(unheard.map((text) => text.replace(/^update_user_.*/, 'update_user'))).toEqual([
      'actors',
      'START TRANSACTION',
      'lock_revision',
      'SELECT "User"."id"',
      'known_user_by_id',
      'update_user',
      'insert_audit_entry',
      'COMMIT',
    ]);
    const heard = await statementsOf('PUT', '/api/user/alice', { status: 'disabled' });
    expect(heard).toHaveLength(unheard.length + 2);
    expect(heard).toContain('next_revision');
  });

  it('DELETE of one user runs ten statements', async () => {
    expect(await statementsOf('DELETE', '/api/user/alice')).toHaveLength(10);
  });
});
