import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestManagement } from '../../testing/test-management.js';
import { NodeConnector } from '../connection/node-connector.js';
import { Node } from '../store/node.entity.js';
import { LEAF } from '../testing/certificates.js';

const API_KEY = '4f9c1d5e-60f7-4a3a-9d0b-2f5b8a7c6e11';

const NODE = {
  name: 'near',
  address: '127.0.0.1',
  // Nobody listens on the port of "discard", so the node stays unreachable.
  port: 9,
  connection_type: 'grpc',
  server_ca: `SHA-256 AB:CD\n${LEAF}`,
  keep_alive: 60,
  core_config_id: 1,
  api_key: API_KEY,
};

describe('the API of nodes', () => {
  let management: TestManagement;

  beforeAll(async () => {
    management = await TestManagement.start();
  });

  afterAll(() => management.close());

  const create = (values: object = {}) => management.request('POST', '/api/node', { ...NODE, ...values });

  it('creates, returns and lists nodes, and never returns the API key', async () => {
    const created = await create();
    expect(created.status).toBe(201);
    const expected = {
      name: 'near',
      address: '127.0.0.1',
      port: 9,
      usage_coefficient: 1,
      connection_type: 'grpc',
      server_ca: LEAF,
      keep_alive: 60,
      core_config_id: 1,
      id: 1,
      xray_version: null,
      core_version: null,
      node_version: null,
      status: 'connecting',
      message: null,
      message_code: null,
      core_pending: false,
      uplink: 0,
      downlink: 0,
      certificate_expires_at: null,
      drift_count: 0,
      drift_found_at: null,
      implausible_count: 0,
      implausible_found_at: null,
      version: expect.any(String),
    };
    expect(created.body).toEqual(expected);

    const far = await create({
      name: 'far',
      address: 'node.example',
      port: null,
      usage_coefficient: 0.5,
      connection_type: 'rest',
    });
    expect(far.body).toMatchObject({ id: 2, port: 62050, usage_coefficient: 0.5, connection_type: 'rest' });

    const read = await management.request('GET', '/api/node/1');
    expect([read.status, Object.keys(Object(read.body))]).toEqual([200, Object.keys(expected)]);
    const list = await management.request('GET', '/api/nodes');
    expect(list.body).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect((await management.request('GET', '/api/nodes?offset=1&limit=1')).body).toMatchObject([{ id: 2 }]);
    expect((await management.request('GET', '/api/nodes?backend_id=7')).body).toEqual([]);
    for (const { text } of [created, read, list]) expect(text).not.toContain(API_KEY);
    const [entry] = await management.database.query(
      "SELECT actor, target, difference FROM audit_entries WHERE action = 'node.create' ORDER BY id LIMIT 1",
    );
    expect(entry).toMatchObject({
      actor: 'root',
      target: 'node/1',
      difference: { name: { after: 'near' }, api_key: { after: '***' } },
    });
  });

  it('stores the API key sealed for the row of its node only', async () => {
    const { id } = Object((await create({ name: 'sealed' })).body);
    const [{ dump }] = await management.database.query('SELECT nodes::text AS dump FROM nodes WHERE id = $1', [id]);
    expect(dump).not.toContain(API_KEY);
    expect(dump).not.toContain(Buffer.from(API_KEY).toString('hex'));

    const node = await management.database.manager.findOneByOrFail(Node, { id });
    const connector = management.app.get(NodeConnector);
    await (await connector.connect(node)).close();
    await expect(connector.connect({ ...node, id: id + 1 })).rejects.toThrow(
      'its API key does not open with the at-rest key of this management: enter it again',
    );
  });

  it('refuses a name that is taken and an unknown core, and changes nothing', async () => {
    await create({ name: 'once' });
    const before = await management.database.manager.count(Node);
    const [again, together] = await Promise.all([
      create({ name: 'once' }),
      create({ name: 'twin' }),
      create({ name: 'once' }),
    ]);
    expect([again.status, again.body]).toEqual([409, { detail: 'Node "once" already exists', code: 'NODE_EXISTS' }]);
    expect(together.status).toBe(201);
    const answer = await create({ name: 'without core', core_config_id: 77 });
    expect([answer.status, answer.body]).toEqual([404, { detail: 'Core config not found', code: 'CORE_NOT_FOUND' }]);
    expect(await management.database.manager.count(Node)).toBe(before + 1);
  });

  it('creates only one of two nodes that are sent with the same name at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ name: 'race' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('refuses a node without required fields and names all of them', async () => {
    const { status, body } = await management.request('POST', '/api/node', {});
    expect([status, body]).toEqual([
      422,
      {
        code: 'INVALID_FIELDS',
        detail: {
          name: 'Field required',
          address: 'Field required',
          connection_type: 'Field required',
          server_ca: 'Field required',
          keep_alive: 'Field required',
          core_config_id: 'Field required',
          api_key: 'Field required',
        },
      },
    ]);
  });

  it('ignores unknown fields of a node', async () => {
    const { status, body } = await create({ name: 'more', id: 999, status: 'connected', uplink: 5, max_logs: 1000 });
    expect([status, body]).toMatchObject([201, { status: 'connecting', uplink: 0 }]);
    expect(Object(body).id).not.toBe(999);
  });

  it('security row 9: refuses addresses that no node can have, and creates nothing', async () => {
    const before = await management.database.manager.count(Node);
    const never = { address: 'Input is an address that no node can have' };
    const neither = { address: 'Input should be an IP address or a domain name, without scheme, port or brackets' };
    for (const [address, detail] of [
      ['169.254.169.254', never],
      ['::ffff:169.254.169.254', never],
      ['64:ff9b::a9fe:a9fe', never],
      ['2002:a9fe:a9fe::', never],
      ['[::ffff:169.254.169.254]', neither],
      ['2852039166', neither],
      ['0xa9fea9fe', neither],
    ] as const) {
      const { status, body } = await create({ name: 'forged', address });
      expect([status, body]).toEqual([422, { detail, code: 'INVALID_FIELDS' }]);
    }
    expect(await management.database.manager.count(Node)).toBe(before);
  });

  it('is for sudo admins only, and answers 404 for unknown nodes', async () => {
    expect((await management.request('GET', '/api/nodes', undefined, '')).status).toBe(401);
    const unknown = await management.request('GET', '/api/node/4711');
    expect([unknown.status, unknown.body]).toEqual([404, { detail: 'Node not found', code: 'NODE_NOT_FOUND' }]);
    expect((await management.request('GET', '/api/node/x')).status).toBe(422);
  });
});
