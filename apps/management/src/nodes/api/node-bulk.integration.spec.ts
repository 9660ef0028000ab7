import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@rampart/testing';
import { ManagementWithNodeDoubles } from '../testing/management-with-node-doubles.js';
import type { NodeView } from './node.dto.js';

const NOT_FOUND = { status: 404, body: { detail: 'Node not found', code: 'NODE_NOT_FOUND' } };

let nodes: ManagementWithNodeDoubles;
let first: number;
let second: number;
let third: number;
let coreId: number;

beforeAll(async () => {
  nodes = await ManagementWithNodeDoubles.start();
  const { body } = await nodes.management.call('GET', '/api/core/1');
  coreId = Object((await nodes.management.call('POST', '/api/core', { ...Object(body), name: 'second' })).body).id;
  first = await nodes.connectedNode({ name: 'Berlin 1', address: '10.0.0.1' });
  second = await nodes.connectedNode({ name: 'Berlin 2', address: '10.0.0.2', core_config_id: coreId });
  third = await nodes.connectedNode({ name: '100%_node', address: 'third.example' });
});
afterAll(() => nodes?.close());

const post = (path: string, body?: unknown) => nodes.management.call('POST', `/api/${path}`, body);
const list = (query: string) => nodes.management.call('GET', `/api/nodes?${query}`);
const starts = (id: number) => nodes.double(id).starts.length;
const statusOf = async (id: number) => (await nodes.view(id)).status;

describe('POST /api/node/{id}/reconnect', () => {
  it('opens a new connection to the node and starts it with the core that it runs', async () => {
    expect(await post(`node/${first}/reconnect`)).toEqual({ status: 200, body: {} });
    expect(await nodes.newestAuditEntries()).toEqual([
      { actor: 'root', action: 'node.reconnect', target: `node/${first}`, difference: {} },
    ]);
    await until((saw) => saw(starts(first)) === 2);
    expect(nodes.double(first).starts[1]).toEqual(nodes.double(first).starts[0]);
    expect([nodes.double(first).stops, starts(second), starts(third)]).toEqual([0, 1, 1]);
    expect(await post('node/4711/reconnect')).toEqual(NOT_FOUND);
  });

  it('reconnects a failing node at once, without its retry delay', async () => {
    const id = await nodes.connectedNode();
    for (let n = 0; n < 8; n += 1) nodes.double(id).fail('info', 'before');
    await post(`node/${id}/reconnect`);
    await nodes.waitForStatus(id, 'error');
    // The retry delay grows with each failure. An order ends the attempt that is under way, so it is given to a failed node only.
    await until(async () => {
      const status = await statusOf(id);
      if (status === 'error') await post(`node/${id}/reconnect`);
      return status === 'connected';
    });
  });
});

describe('POST /api/nodes/reconnect', () => {
  it('reconnects all enabled nodes, or those of one core', async () => {
    const before = [first, second, third].map(starts);
    expect(await post(`nodes/reconnect?core_id=${coreId}`)).toEqual({ status: 200, body: {} });
    await until((saw) => saw(starts(second)) === before[1]! + 1);
    expect([starts(first), starts(third)]).toEqual([before[0], before[2]]);
    expect(await nodes.newestAuditEntries()).toEqual([
      {
        actor: 'root',
        action: 'node.bulk_reconnect',
        target: 'nodes',
        difference: { core_id: { after: coreId }, affected_nodes: { after: 1 } },
      },
    ]);
    expect(await post('nodes/reconnect')).toEqual({ status: 200, body: {} });
    await until((saw) =>
      saw([first, second, third])
        .map(starts)
        .every((now, index) => now > before[index]!),
    );
    expect(await post('nodes/reconnect?core_id=x')).toMatchObject({ status: 422 });
    expect(await post('nodes/reconnect?core_id=4711')).toEqual({ status: 200, body: {} });
  });
});

describe('PUT /api/node/{id}/sync', () => {
  const sync = (id: number, query = '') => nodes.management.call('PUT', `/api/node/${id}/sync${query}`);
  const sets = (id: number) => nodes.double(id).calls.filter((call) => call === 'syncUsers').length;

  it.each(['', '?flush_users=false', '?flush_users=true', '?flush_users=1'])(
    'PUT /api/node/{id}/sync%s sends the node all users',
    async (query) => {
      const alice = await nodes.fixture.createUser(`alice${query.length}`, await nodes.fixture.createGroup());
      await until((saw) =>
        saw([...nodes.double(first).users.keys()]).some((email) => email.startsWith(`${alice.id}.`)),
      );
      const right = new Map(nodes.double(first).users);
      const [before, started] = [sets(first), starts(first)];
      nodes.double(first).users.clear();
      expect(await sync(first, query)).toEqual({ status: 200, body: {} });
      expect(await nodes.newestAuditEntries()).toEqual([
        { actor: 'root', action: 'node.sync', target: `node/${first}`, difference: {} },
      ]);
      await until((saw) => saw(sets(first)) === before + 1);
      expect([nodes.double(first).users, starts(first)]).toEqual([right, started]);
    },
  );

  it('refuses unknown and disabled nodes and a wrong parameter', async () => {
    const entries = await nodes.auditCount();
    expect(await sync(4711)).toEqual(NOT_FOUND);
    expect(await sync(first, '?flush_users=maybe')).toEqual({
      status: 422,
      body: { detail: { flush_users: 'Input should be true or false' }, code: 'INVALID_FIELDS' },
    });
    expect(await nodes.auditCount()).toBe(entries);
    const id = await nodes.connectedNode();
    await nodes.management.call('PUT', `/api/node/${id}`, { status: 'disabled' });
    expect(await sync(id)).toEqual({
      status: 409,
      body: { detail: 'Node is not connected', code: 'NODE_NOT_CONNECTED' },
    });
  });
});

describe('POST /api/nodes/bulk', () => {
  it('disables, enables, reconnects and deletes the nodes of these ids', async () => {
    const names = ['bulk a', 'bulk b'];
    const ids = await Promise.all(names.map((name) => nodes.connectedNode({ name })));
    const all = { nodes: names, count: 2 };
    ids.sort((a, b) => a - b);
    const named = Object.fromEntries(await Promise.all(ids.map(async (id) => [id, (await nodes.view(id)).name])));
    const inOrder = { ...all, nodes: ids.map((id) => named[id]) };
    const given = { ids: [...ids, 4711] };
    const audited = (verb: string, affected: number) => ({
      actor: 'root',
      action: `node.bulk_${verb}`,
      target: 'nodes',
      difference: { ids: { after: given.ids }, affected_nodes: { after: affected } },
    });

    expect(await post('nodes/bulk/disable', given)).toEqual({ status: 200, body: inOrder });
    expect(await nodes.newestAuditEntries()).toEqual([audited('disable', 2)]);
    await until((saw) => saw(ids).every((id) => nodes.double(id).stops === 1));
    expect(await Promise.all(ids.map(statusOf))).toEqual(['disabled', 'disabled']);
    expect(await post('nodes/bulk/disable', given)).toEqual({ status: 200, body: { nodes: [], count: 0 } });
    expect(await post('nodes/bulk/reconnect', given)).toEqual({ status: 200, body: { nodes: [], count: 0 } });

    expect(await post('nodes/bulk/enable', given)).toEqual({ status: 200, body: inOrder });
    expect(await nodes.newestAuditEntries()).toEqual([audited('enable', 2)]);
    for (const id of ids) await nodes.waitForStatus(id, 'connected');
    const before = ids.map(starts);
    expect(await post('nodes/bulk/reconnect', given)).toEqual({ status: 200, body: inOrder });
    await until((saw) => saw(ids).every((id, index) => starts(id) > before[index]!));

    expect(await post('nodes/bulk/delete', given)).toEqual({ status: 200, body: inOrder });
    expect(await nodes.newestAuditEntries()).toEqual([audited('delete', 2)]);
    await until((saw) => saw(ids).every((id) => nodes.double(id).stops === 2));
    for (const id of ids) expect(await nodes.management.call('GET', `/api/node/${id}`)).toEqual(NOT_FOUND);
  });

  it.each(['delete', 'disable', 'enable', 'reconnect'])(
    'POST /api/nodes/bulk/%s refuses a body without ids',
    async (verb) => {
      const entries = await nodes.auditCount();
      const refused = (detail: string) => ({ status: 422, body: { detail: { ids: detail }, code: 'INVALID_FIELDS' } });
      expect(await post(`nodes/bulk/${verb}`, {})).toEqual(refused('Field required'));
      expect(await post(`nodes/bulk/${verb}`, { ids: ['1'] })).toEqual(refused('Input should be a list of ids'));
      const many = Array.from({ length: 10_001 }, (_, n) => n + 1);
      expect(await post(`nodes/bulk/${verb}`, { ids: many })).toEqual(
        refused('Input should be a list of at most 10000 ids'),
      );
      expect(await nodes.auditCount()).toBe(entries);
    },
  );
});

describe('GET /api/nodes', () => {
  const idsOf = async (query: string) =>
    Object((await list(query)).body)
      .map(({ id }: NodeView) => id)
      .filter((id: number) => [first, second, third].includes(id));

  it.each([
    ['core_id', () => [second]],
    ['backend_id', () => [second]],
  ])('lists the nodes of a core by the parameter %s', async (name, expected) => {
    expect(await idsOf(`${name}=${coreId}`)).toEqual(expected());
  });

  it('filters nodes by id, status, whether they are enabled, and text', async () => {
    expect(await idsOf(`ids=${first}&ids=${third}&ids=4711`)).toEqual([first, third]);
    expect(await idsOf('search=BERLIN')).toEqual([first, second]);
    expect(await idsOf('search=10.0.0.2')).toEqual([second]);
    expect(await idsOf(`search=${encodeURIComponent('0%_')}`)).toEqual([third]);
    await nodes.management.call('PUT', `/api/node/${third}`, { status: 'disabled' });
    await nodes.waitForStatus(first, 'connected');
    expect(await idsOf('enabled=false')).toEqual([third]);
    expect(await idsOf('enabled=1')).toEqual([first, second]);
    expect(await idsOf('status=disabled')).toEqual([third]);
    expect(await idsOf('status=disabled&status=connected')).toEqual([first, second, third]);
    expect(await idsOf('status=disabled&enabled=true')).toEqual([]);
  });

  it('lists the nodes in pages', async () => {
    const { body } = await list('search=berlin&offset=1&limit=1');
    expect(body).toMatchObject([{ id: second }]);
  });

  it('refuses unknown values of its parameters', async () => {
    expect(await list('status=off&enabled=x&ids=x&core_id=0&backend_id=y')).toEqual({
      status: 422,
      body: {
        code: 'INVALID_FIELDS',
        detail: {
          status: "Input should be one of 'connected', 'connecting', 'error', 'disabled'",
          enabled: 'Input should be true or false',
          ids: 'Input should be a list of ids',
          core_id: 'Input should be an integer from 1 to 2147483647',
          backend_id: 'Input should be an integer from 1 to 2147483647',
        },
      },
    });
  });
});
