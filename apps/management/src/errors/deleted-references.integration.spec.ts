import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@rampart/testing';
import { LEAF } from '../nodes/testing/certificates.js';
import { TestManagement } from '../testing/test-management.js';

const UNAUTHENTICATED = { detail: 'Could not validate credentials', code: 'UNAUTHENTICATED' };
const CORE_NOT_FOUND = { detail: 'Core config not found', code: 'CORE_NOT_FOUND' };
const NODE = {
  ...{ name: 'late', address: '127.0.0.1', port: 9, connection_type: 'grpc', server_ca: LEAF, keep_alive: 60 },
  api_key: '4f9c1d5e-60f7-4a3a-9d0b-2f5b8a7c6e11',
};

describe('a change that waits while what it refers to is deleted', () => {
  let management: TestManagement;

  beforeAll(async () => {
    management = await TestManagement.start();
  });
  afterAll(() => management.close());

  /** Answers a request that waits for a deletion, which then commits. */
  async function answerAfter(deletion: string, request: () => ReturnType<TestManagement['call']>) {
    const deleting = management.database.createQueryRunner();
    await deleting.startTransaction();
    await deleting.query(deletion);
    const answer = request();
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    await until(async (saw) => saw(await management.database.query<unknown[]>(waiting)).length > 0);
    await deleting.commitTransaction();
    await deleting.release();
    return answer;
  }

  it.each([
    ['a new user', 'POST /api/user', { username: 'late' }],
    [
      'a new API token',
      'POST /api/admin/tokens',
      { name: 'late', scope: 'read', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
    ],
  ])('%s of an admin who was just deleted is refused like every request without an admin', async (_, route, body) => {
    const token = await management.plainAdmin('short-lived');
    const [method = '', url = ''] = route.split(' ');
    const answer = await answerAfter("DELETE FROM admins WHERE username = 'short-lived'", () =>
      management.call(method as 'POST', url, body, token),
    );
    expect(answer).toEqual({ status: 401, body: UNAUTHENTICATED });
    expect(await management.call('GET', '/api/user/late')).toMatchObject({ status: 404 });
  });

  it('a token that another one makes, which was just deleted, is refused like every request without a token', async () => {
    const body = { name: 'maker', scope: 'all', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    const maker = Object((await management.call('POST', '/api/admin/tokens', { ...body, grants: ['identity'] })).body);
    const answer = await answerAfter(`DELETE FROM api_tokens WHERE id = ${maker.id}`, () =>
      management.call('POST', '/api/admin/tokens', { ...body, name: 'late' }, maker.token),
    );
    expect(answer).toEqual({ status: 401, body: UNAUTHENTICATED });
  });

  it.each([
    ['a new node', () => management.call('POST', '/api/node', { ...NODE, core_config_id: 2 })],
    ['a node', () => management.call('PUT', '/api/node/1', { core_config_id: 2 })],
  ])('%s with a core that was just deleted gets the answer for an unknown core', async (_, request) => {
    await management.call('POST', '/api/node', { ...NODE, name: 'first', core_config_id: 1 });
    await management.database.query(
      `INSERT INTO cores (id, name, config_sealed)
       SELECT 2, 'short-lived', config_sealed FROM cores WHERE id = 1 ON CONFLICT DO NOTHING`,
    );
    expect(await answerAfter('DELETE FROM cores WHERE id = 2', request)).toEqual({ status: 404, body: CORE_NOT_FOUND });
  });
});
