import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { TestManagement } from '../testing/test-management.js';

const TAG = 'Shadowsocks TCP';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

/** Replaces all hosts by hosts with these priorities and the ids 1, 2, 3 and so on. */
async function hostsWith(...priorities: number[]): Promise<void> {
  await management.database.query('DELETE FROM hosts');
  for (const [index, priority] of priorities.entries())
    await management.database.query(
      `INSERT INTO hosts (id, remark, inbound_tag, priority) VALUES (${index + 1}, 'h', '${TAG}', ${priority})`,
    );
  await management.asOwner(`SELECT setval(pg_get_serial_sequence('hosts', 'id'), 1000)`);
}

const reorder = (body: object) => management.call('PATCH', '/api/hosts/order', body);
const shown = (body: unknown) =>
  (body as { id: number; priority: number }[]).map(({ id, priority }) => `${id}@${priority}`).join(' ');

describe('PATCH /api/hosts/order', () => {
  beforeEach(() => hostsWith(10, 20, 30, 40));

  it.each([
    ['all hosts', [4, 2, 1, 3], '4@10 2@20 1@30 3@40'],
    ['some hosts, in the places that they have', [3, 1], '3@10 2@20 1@30 4@40'],
    ['hosts that stand so already', [1, 4], '1@10 2@20 3@30 4@40'],
  ])('puts %s in order', async (_, ids, expected) => {
    const { status, body } = await reorder({ ids });
    expect([status, shown(body)]).toEqual([200, expected]);
    expect(shown((await management.call('GET', '/api/hosts')).body)).toBe(expected);
  });

  it('gives new priorities where equal ones would not keep the order', async () => {
    await hostsWith(5, 5, 5, 9);
    expect(shown((await reorder({ ids: [3, 2, 1] })).body)).toBe('3@1 2@2 1@3 4@4');
    expect(shown((await management.call('GET', '/api/hosts')).body)).toBe('3@1 2@2 1@3 4@4');
  });

  it('is one change of the configuration and of the audit log', async () => {
    const config = async () =>
      Number((await management.database.query(`SELECT value FROM counters WHERE name = 'config'`))[0].value);
    const before = await config();
    await reorder({ ids: [2, 1] });
    expect(await config()).toBe(before + 1);
    const [entry] = await management.database.manager.find(AuditEntry, { order: { id: 'DESC' }, take: 1 });
    expect(entry).toMatchObject({
      action: 'host.reorder',
      target: 'hosts',
      difference: { order: { before: [1, 2, 3, 4], after: [2, 1, 3, 4] } },
    });
  });

  it.each<[object, number, object]>([
    [{}, 422, { code: 'INVALID_FIELDS', detail: { ids: 'Field required' } }],
    [{ ids: [] }, 422, { code: 'INVALID_FIELDS', detail: { ids: 'Input should have at least one id' } }],
    [{ ids: ['1'] }, 422, { code: 'INVALID_FIELDS', detail: { ids: 'Input should be a list of ids' } }],
    [{ ids: [1, 2, 1] }, 422, { code: 'INVALID_FIELDS', detail: { 'ids.2': '1 stands twice' } }],
    [{ ids: [2, 99] }, 404, { code: 'HOST_NOT_FOUND', detail: 'Host 99 not found' }],
  ])('refuses %j and changes nothing', async (body, status, error) => {
    expect(await reorder(body)).toEqual({ status, body: error });
    expect(shown((await management.call('GET', '/api/hosts')).body)).toBe('1@10 2@20 3@30 4@40');
  });
});

describe('POST /api/hosts/check', () => {
  const HOST = { remark: 'r', inbound_tag: TAG, priority: 1, address: ['a.example'] };
  const check = (body: object, query = '') => management.call('POST', `/api/hosts/check${query}`, body);
  const rows = () => management.database.query('SELECT * FROM hosts ORDER BY id');

  beforeEach(() => hostsWith(1, 2));

  it('answers the warnings of a save, and saves nothing', async () => {
    const before = await rows();
    expect(await check(HOST)).toEqual({ status: 200, body: { errors: [], warnings: [] } });
    const { status, body } = await check({ ...HOST, address: [] }, '?id=1');
    expect([status, body]).toEqual([
      200,
      {
        errors: [],
        warnings: [{ path: '', code: 'left_out', message: 'left out of subscriptions: the host has no address' }],
      },
    ]);
    expect(await rows()).toEqual(before);
    expect((await management.call('POST', '/api/host', HOST)).status).toBe(201);
  });

  it.each([
    ['an unknown inbound', { inbound_tag: 'nope' }, '', 'INBOUND_TAG_UNKNOWN'],
    ['a security that the inbound has not', { security: 'reality' }, '', 'HOST_SECURITY_REALITY'],
    ['an unknown host', {}, '?id=99', 'HOST_NOT_FOUND'],
    [
      'a download host that does not exist',
      { transport_settings: { xhttp_settings: { download_settings: 99 } } },
      '',
      'DOWNLOAD_HOST_NOT_FOUND',
    ],
    [
      'a host that downloads through itself',
      { transport_settings: { xhttp_settings: { download_settings: 1 } } },
      '?id=1',
      'DOWNLOAD_HOST_SELF',
    ],
  ])('answers the error of a save for %s', async (_, change, query, code) => {
    const before = await rows();
    const { status, body } = await check({ ...HOST, ...change }, query);
    expect([status, body]).toEqual([200, { errors: [{ code, message: expect.any(String) }], warnings: [] }]);
    const saved = query
      ? await management.call('PUT', `/api/host/${query.slice(4)}`, { ...HOST, ...change })
      : await management.call('POST', '/api/host', { ...HOST, ...change });
    expect(saved.body).toEqual({ code, detail: Object(body).errors[0].message });
    expect(await rows()).toEqual(before);
  });

  it('refuses a body that is no host like a save', async () => {
    expect(await check({ ...HOST, port: 'x' })).toEqual(
      await management.call('POST', '/api/host', { ...HOST, port: 'x' }),
    );
  });
});
