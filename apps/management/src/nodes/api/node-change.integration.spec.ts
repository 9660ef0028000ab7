import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { until } from '@rampart/testing';
import { UserTombstone } from '../../user-store/entities/user-tombstone.entity.js';
import { Node } from '../store/node.entity.js';
import { announceNodeChange } from '../store/node-channel.js';
import { AUTHORITY, LEAF } from '../testing/certificates.js';
import { API_KEY, ManagementWithNodeDoubles } from '../testing/management-with-node-doubles.js';

const NOT_FOUND = { status: 404, body: { detail: 'Node not found', code: 'NODE_NOT_FOUND' } };
const OTHER_KEY = '0b0e7a3e-3f3e-4a9e-8d55-91d5b1c0ffee';

let nodes: ManagementWithNodeDoubles;
beforeAll(async () => {
  nodes = await ManagementWithNodeDoubles.start();
});
afterAll(() => nodes?.close());

const put = (id: number, body: unknown) => nodes.management.call('PUT', `/api/node/${id}`, body);
/** Without the moment up to which its traffic is recorded, which moves by itself. */
const row = async (id: number) => ({ ...(await nodes.fixture.readNode(id)), trafficSettledAt: undefined });
const connectionsTo = (id: number) => nodes.connections.filter(([to]) => to === id).map(([, address]) => address);
const levelOf = (config: string): string => JSON.parse(config).log.loglevel;

async function secondCore(loglevel: string): Promise<number> {
  const { body } = await nodes.management.call('GET', '/api/core/1');
  const config = { ...Object(body).config, log: { loglevel } };
  return Object((await nodes.management.call('POST', '/api/core', { name: 'second', config })).body).id;
}

describe('PUT /api/node/{id}', () => {
  it('changes the given fields and nothing else, and answers with the node', async () => {
    const id = await nodes.connectedNode();
    const before = await nodes.view(id);
    const change = { name: 'renamed', usage_coefficient: 2.5, port: null, api_key: null, unknown: 1 };
    const changed = await put(id, change);
    const { version } = Object(changed.body);
    expect(version).not.toBe(before.version);
    const after = { ...before, name: 'renamed', usage_coefficient: 2.5, version };
    expect(changed).toEqual({ status: 200, body: after });
    expect(await nodes.view(id)).toEqual(after);
    expect(await nodes.newestAuditEntries()).toEqual([
      {
        actor: 'root',
        action: 'node.modify',
        target: `node/${id}`,
        difference: {
          name: { before: before.name, after: 'renamed' },
          usage_coefficient: { before: 1, after: 2.5 },
        },
      },
    ]);
    expect(await put(id, {})).toEqual({ status: 200, body: after });
    // Clients send back all fields that they were shown.
    expect(await put(id, after)).toEqual({ status: 200, body: after });
    expect([connectionsTo(id).length, nodes.double(id).starts.length]).toEqual([1, 1]);
  });

  it.each([
    [{ name: 'taken' }, 409, 'Node "taken" already exists', 'NODE_EXISTS'],
    [{ core_config_id: 77 }, 404, 'Core config not found', 'CORE_NOT_FOUND'],
    [{ name: '' }, 422, { name: "name can't be empty" }, 'INVALID_FIELDS'],
    [{ address: '169.254.169.254' }, 422, { address: 'Input is an address that no node can have' }, 'INVALID_FIELDS'],
    [
      { address: '2852039166', port: 0, status: 'off', keep_alive: -1 },
      422,
      {
        address: 'Input should be an IP address or a domain name, without scheme, port or brackets',
        port: 'Input should be an integer from 1 to 65535',
        status: "Input should be one of 'connected', 'connecting', 'error', 'disabled'",
        keep_alive: 'Input should be a number of seconds from 0 to 2147483647',
      },
      'INVALID_FIELDS',
    ],
    [
      { server_ca: 'no pem', connection_type: 'http', api_key: 'short', usage_coefficient: 0, core_config_id: 0 },
      422,
      {
        server_ca: 'Invalid certificate format - must contain PEM certificate blocks',
        connection_type: "Input should be one of 'grpc', 'rest'",
        api_key: 'Input must have 16 to 256 characters, has 5',
        usage_coefficient: 'Input should be a number above 0 and at most 1000',
        core_config_id: 'Input should be an integer from 1 to 2147483647',
      },
      'INVALID_FIELDS',
    ],
  ])('refuses %j and changes nothing', async (change, status, detail, code) => {
    if ('name' in change && change.name === 'taken') await nodes.connectedNode({ name: 'taken' });
    const id = await nodes.connectedNode();
    const [before, entries] = [await row(id), await nodes.auditCount()];
    expect(await put(id, change)).toEqual({ status, body: { detail, code } });
    expect([await row(id), await nodes.auditCount()]).toEqual([before, entries]);
  });

  it('answers 404 for an unknown node', async () => {
    expect(await put(4711, { name: 'nobody' })).toEqual(NOT_FOUND);
  });

  it('reconnects when the connection changes, without a restart of the engine', async () => {
    const id = await nodes.connectedNode();
    const double = nodes.double(id);
    expect(await put(id, { address: '127.0.0.2' })).toMatchObject({ status: 200, body: { address: '127.0.0.2' } });
    await until((saw) => saw(double.starts).length === 2);
    expect(connectionsTo(id)).toEqual(['127.0.0.1', '127.0.0.2']);
    expect([double.starts[1]?.config, double.stops]).toEqual([double.starts[0]?.config, 0]);
    await put(id, { server_ca: AUTHORITY });
    await until((saw) => saw(double.starts).length === 3);
    await put(id, { server_ca: AUTHORITY, address: '127.0.0.2', connection_type: 'grpc' });
    await put(id, { port: 10 });
    await until((saw) => saw(double.starts).length === 4);
    expect(connectionsTo(id)).toHaveLength(4);
    expect((await row(id)).serverCa).toBe(AUTHORITY);
    expect(AUTHORITY).not.toBe(LEAF);
  });

  it('stores a new API key and never returns it', async () => {
    const id = await nodes.connectedNode();
    const before = await row(id);
    const answer = await nodes.management.request('PUT', `/api/node/${id}`, { api_key: OTHER_KEY });
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain(OTHER_KEY);
    await until((saw) => saw(connectionsTo(id)).length === 2);
    expect((await row(id)).apiKeyEncrypted.equals(before.apiKeyEncrypted)).toBe(false);
    expect(await nodes.newestAuditEntries()).toMatchObject([{ difference: { api_key: { after: '***' } } }]);
  });

  it('security row 21: no table holds an API key in plain text', async () => {
    const { database } = nodes.management;
    const tables = await database.query(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    let dump = '';
    for (const { name } of tables) {
      const [{ text }] = await database.query(
        `SELECT coalesce(string_agg(row::text, E'\\n'), '') AS text FROM "${name}" AS row`,
      );
      dump += text;
    }
    expect(dump).toContain('renamed');
    for (const key of [API_KEY, OTHER_KEY]) {
      expect(dump).not.toContain(key);
      expect(dump).not.toContain(Buffer.from(key).toString('hex'));
      expect(dump).not.toContain(Buffer.from(key).toString('base64'));
    }
  });

  it('starts the node with a new keep-alive and the core that it is pinned to', async () => {
    const coreId = await secondCore('error');
    const id = await nodes.connectedNode({ core_config_id: coreId });
    const double = nodes.double(id);
    const { body } = await nodes.management.call('GET', `/api/core/${coreId}`);
    const config = { ...Object(body).config, log: { loglevel: 'debug' } };
    await nodes.management.call('PUT', `/api/core/${coreId}`, { ...Object(body), config });
    expect((await nodes.view(id)).core_pending).toBe(true);
    await put(id, { keep_alive: 7 });
    await until((saw) => saw(double.starts).length === 2);
    expect([double.starts[1]?.keepAlive, connectionsTo(id).length]).toEqual([7n, 1]);
    expect(double.starts.map(({ config }) => levelOf(config))).toEqual(['error', 'error']);
    expect((await nodes.view(id)).core_pending).toBe(true);
  });

  it('starts the node once with another core, and unpins the old one', async () => {
    const coreId = await secondCore('debug');
    const id = await nodes.connectedNode();
    const double = nodes.double(id);
    const answer = await put(id, { core_config_id: coreId });
    expect(answer).toMatchObject({ status: 200, body: { core_config_id: coreId, core_pending: true } });
    await until(async (saw) => !saw(await nodes.view(id)).core_pending);
    expect(double.starts.map(({ config }) => levelOf(config))).toEqual(['warning', 'debug']);
    expect(connectionsTo(id)).toHaveLength(1);
  });

  it('stops the engine of a disabled node, whose worker cannot change its status any more', async () => {
    const id = await nodes.connectedNode();
    const double = nodes.double(id);
    const info = double.info.bind(double);
    double.info = async () => {
      // The call is answered after the node was disabled.
      await put(id, { status: 'disabled' });
      double.info = info;
      return info();
    };
    await nodes.management.call('POST', `/api/node/${id}/reconnect`);
    await until((saw) => saw(double.stops) === 1);
    expect(await nodes.view(id)).toMatchObject({ status: 'disabled', message: null });
    expect(await put(id, { status: 'disabled' })).toMatchObject({ status: 200, body: { status: 'disabled' } });
    expect(double.stops).toBe(1);
  });

  it('enables a node with all changes that were made while it was disabled', async () => {
    const { fixture } = nodes;
    const group = await fixture.createGroup();
    const [alice, bob] = await fixture.createUsers(['alice', 'bob'], group);
    const id = await nodes.connectedNode();
    const double = nodes.double(id);
    expect(double.users.size).toBe(2);
    await put(id, { status: 'disabled' });
    await until((saw) => saw(double.stops) === 1);
    await fixture.deleteUser(alice!);
    // No enabled node lacks the deletion, so the tombstone is deleted.
    await until(async () => {
      await announceNodeChange(nodes.management.database.manager);
      return (await nodes.management.database.manager.count(UserTombstone)) === 0;
    });
    expect(double.users.size).toBe(2);
    expect(await put(id, { status: 'connected' })).toMatchObject({ body: { status: 'connecting', message: null } });
    await nodes.waitForStatus(id, 'connected');
    expect([...double.users.keys()]).toEqual([nodeEmail(bob!.id, 'bob')]);
  });

  it('security row 38: gives an enabled node no time of its line while it was disabled', async () => {
    const id = await nodes.connectedNode();
    await put(id, { status: 'disabled' });
    await until((saw) => saw(nodes.double(id).stops) === 1);
    const { database } = nodes.management;
    await database.query(`UPDATE nodes SET traffic_settled_at = now() - interval '30 days' WHERE id = $1`, [id]);
    const enabledAt = Date.now();
    await put(id, { status: 'connecting' });
    const { trafficSettledAt, trafficAllowance } = await nodes.fixture.readNode(id);
    expect(trafficSettledAt.getTime()).toBeGreaterThan(enabledAt - 1_000);
    expect(trafficAllowance).toBeLessThan(60);
  });

  it('loses no change when a node is disabled and enabled at once', async () => {
    const id = await nodes.connectedNode();
    const double = nodes.double(id);
    await put(id, { status: 'disabled' });
    await put(id, { status: 'error' });
    await until((saw) => saw(double.starts).length > 1);
    await nodes.waitForStatus(id, 'connected');
    expect(double.running).toBe(true);
  });
});

describe('DELETE /api/node/{id}', () => {
  it('deletes the node, stops its engine and keeps the traffic of its users', async () => {
    const id = await nodes.connectedNode({ name: 'gone' });
    const double = nodes.double(id);
    const user = await nodes.fixture.createUser('carol', await nodes.fixture.createGroup());
    await nodes.management.database.query('UPDATE users SET used_traffic = 7 WHERE id = $1', [user.id]);
    const answer = await nodes.management.request('DELETE', `/api/node/${id}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await nodes.management.call('GET', `/api/node/${id}`)).toEqual(NOT_FOUND);
    await until((saw) => saw(double.stops) === 1);
    expect(await nodes.fixture.usedTraffic(user)).toBe(7);
    expect(await nodes.newestAuditEntries()).toMatchObject([
      { actor: 'root', action: 'node.delete', target: `node/${id}`, difference: { name: { before: 'gone' } } },
    ]);
  });

  it('does not wait for a node that does not answer', async () => {
    const id = await nodes.connectedNode();
    let answer: () => void = () => undefined;
    const silence = new Promise<void>((resolve) => {
      answer = resolve;
    });
    nodes.double(id).stop = () => silence;
    expect((await nodes.management.call('DELETE', `/api/node/${id}`)).status).toBe(204);
    answer();
  });

  it('answers 404 for an unknown node and writes no audit entry', async () => {
    const [count, entries] = [await nodes.management.database.manager.count(Node), await nodes.auditCount()];
    expect(await nodes.management.call('DELETE', '/api/node/4711')).toEqual(NOT_FOUND);
    expect([await nodes.management.database.manager.count(Node), await nodes.auditCount()]).toEqual([count, entries]);
  });
});
