import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LEAF } from '../nodes/testing/certificates.js';
import { TestManagement } from '../testing/test-management.js';

const inbound = (tag: string, port: number, more = {}) => ({
  tag,
  port,
  protocol: 'vless',
  settings: { clients: [], decryption: 'none' },
  ...more,
});
const core = (...inbounds: object[]) => ({
  name: 'core',
  config: { inbounds, outbounds: [{ tag: 'out', protocol: 'freedom' }] },
});
const STORED = core(inbound('kept', 1001), inbound('moved', 1002), inbound('gone', 1003));

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
  await management.call('POST', '/api/core', STORED);
  await management.call('POST', '/api/group', { name: 'first', inbound_tags: ['kept', 'moved'] });
  await management.call('POST', '/api/group', { name: 'second', inbound_tags: ['gone'] });
  await management.call('POST', '/api/group', { name: 'third', inbound_tags: ['kept'] });
  await management.call('POST', '/api/group', { name: 'off', inbound_tags: ['gone'], is_disabled: true });
  for (const [priority, inbound_tag] of ['gone', 'kept', 'moved'].entries())
    await management.call('POST', '/api/host', { remark: inbound_tag, inbound_tag, priority });
  const users: [string, number[]][] = [
    ['one', [1]],
    ['two', [1, 2]],
    ['three', [3]],
    ['four', [4]],
    ['five', [2]],
  ];
  for (const [username, group_ids] of users) await management.call('POST', '/api/user', { username, group_ids });
  await management.call('PUT', '/api/user/five', { status: 'disabled' });
  const node = {
    name: 'near',
    address: '127.0.0.1',
    port: 9,
    connection_type: 'grpc',
    server_ca: LEAF,
    keep_alive: 60,
  };
  const { body } = await management.call('POST', '/api/node', {
    ...node,
    core_config_id: 2,
    api_key: '4f9c1d5e-60f7-4a3a-9d0b-2f5b8a7c6e11',
  });
  expect(Object(body).id).toBe(1);
});
afterAll(() => management?.close());

const check = (body: object, query = '?id=2') => management.call('POST', `/api/cores/check${query}`, body);
const rows = () => management.database.query('SELECT * FROM cores ORDER BY id');
const differenceOf = async (body: object) => Object((await check(body)).body).difference;

describe('POST /api/cores/check', () => {
  it('tells which inbounds, hosts, groups and users a save touches, and saves nothing', async () => {
    const before = await rows();
    const { status, body } = await check(core(inbound('kept', 1001), inbound('moved', 2002), inbound('new', 1004)));
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        errors: [],
        warnings: [
          {
            path: 'inbounds',
            code: 'inbound_tag_orphaned',
            message: 'inbound gone is in no core any more, but still used by hosts gone (1) and groups second, off',
          },
        ],
        difference: {
          added: ['new'],
          changed: ['moved'],
          removed: ['gone'],
          hosts: [
            { id: 1, remark: 'gone', inbound_tag: 'gone' },
            { id: 3, remark: 'moved', inbound_tag: 'moved' },
          ],
          groups: [
            { id: 1, name: 'first' },
            { id: 2, name: 'second' },
            { id: 4, name: 'off' },
          ],
          users: 2,
          needs_restart: true,
          nodes: [{ id: 1, name: 'near', status: expect.any(String), cut_reason: null }],
        },
      },
    });
    expect(await rows()).toEqual(before);
  });

  it('finds no difference in the stored core and in another name', async () => {
    expect(await differenceOf({ ...STORED, name: 'other' })).toMatchObject({
      added: [],
      changed: [],
      removed: [],
      hosts: [],
      groups: [],
      users: 0,
      needs_restart: false,
    });
  });

  it('finds what only nodes see of an inbound', async () => {
    const sniffing = { sniffing: { enabled: true, destOverride: ['tls'] } };
    const changed = core(inbound('kept', 1001, sniffing), inbound('moved', 1002), inbound('gone', 1003));
    expect(await differenceOf(changed)).toMatchObject({ changed: ['kept'], needs_restart: true, users: 3 });
  });

  it('says why a restart would cut the connections of a node', async () => {
    const wireguard = { protocol: 'wireguard', settings: { secretKey: 'x', peers: [] } };
    const with_ = (port: number) => core(inbound('kept', 1001), inbound('wire', port, wireguard));
    await management.call('PUT', '/api/core/2?restart_nodes=true', with_(1500));
    const { nodes } = await differenceOf(with_(1600));
    expect(nodes).toEqual([
      {
        id: 1,
        name: 'near',
        status: expect.any(String),
        cut_reason: 'inbound "wire" cannot be handed over while it serves',
      },
    ]);
    expect((await differenceOf(STORED)).nodes[0].cut_reason).toBeNull();
    expect((await differenceOf(with_(1500))).nodes[0].cut_reason).toBeNull();
    await management.call('PUT', '/api/core/2?restart_nodes=true', STORED);
  });

  it('compares with what a node runs that was not restarted since the last change', async () => {
    const quic = { protocol: 'wireguard', settings: { secretKey: 'x', peers: [] } };
    const running = core(inbound('kept', 1001), inbound('wire', 1500, quic));
    await management.call('PUT', '/api/core/2?restart_nodes=true', running);
    await management.call('PUT', '/api/core/2', STORED);
    const again = core(inbound('kept', 1001), inbound('wire', 1600, quic));
    expect((await differenceOf(again)).nodes[0].cut_reason).toMatch(/^inbound "wire" cannot be handed over/);
    await management.call('PUT', '/api/core/2?restart_nodes=true', STORED);
  });

  it('answers the error of a save, with its place', async () => {
    const bad = core(inbound('a', 1), inbound('a', 2));
    const { status, body } = await check(bad);
    expect([status, body]).toEqual([
      200,
      {
        errors: [
          {
            path: expect.any(String),
            code: 'CORE_REFUSED',
            message: 'all inbounds must have a unique tag: a stands twice',
          },
        ],
        warnings: [],
        difference: null,
      },
    ]);
    expect((await management.call('POST', '/api/core', bad)).body).toMatchObject({
      detail: Object(body).errors[0].message,
    });
  });

  it('knows no difference of a new core, and refuses an unknown one', async () => {
    expect((await check(STORED, '')).body).toEqual({ errors: [], warnings: expect.any(Array), difference: null });
    expect(await check(STORED, '?id=99')).toMatchObject({ status: 404, body: { code: 'CORE_NOT_FOUND' } });
    expect(await check({ name: 'x', config: '{' }, '')).toMatchObject({
      status: 422,
      body: { code: 'INVALID_FIELDS' },
    });
    expect(await check(STORED, '?id=x')).toMatchObject({ status: 422 });
  });
});
