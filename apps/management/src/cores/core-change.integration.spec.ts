import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Core } from '../core-store/core.entity.js';
import { currentRevision } from '../database/revision.js';
import { Node } from '../nodes/store/node.entity.js';
import { NodeCoreRepository } from '../nodes/store/node-core.repository.js';
import { TestManagement } from '../testing/test-management.js';

const DEFAULT_TAG = 'Shadowsocks TCP';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

const configOf = (...tags: string[]) => ({
  inbounds: tags.map((tag, index) => ({ tag, protocol: 'vless', port: 443 + index })),
  outbounds: [{ tag: 'direct', protocol: 'freedom' }],
});
const core = (more: object = {}) => ({ name: 'core', config: configOf('one', 'two'), ...more });
const idOf = ({ body }: { body: unknown }) => Number(Reflect.get(Object(body), 'id'));
const warningsOf = ({ body }: { body: unknown }): unknown => Reflect.get(Object(body), 'warnings');
const put = (id: number, body: unknown, query = '') => management.call('PUT', `/api/core/${id}${query}`, body);
const read = (id: number) => management.call('GET', `/api/core/${id}`);
const NOT_FOUND = { status: 404, body: { detail: 'Core config not found', code: 'CORE_NOT_FOUND' } };

/** A disabled node, which no worker connects to. */
async function nodeOf(coreConfigId: number): Promise<number> {
  const { manager } = management.database;
  const { id } = await manager.save(
    manager.create(Node, {
      name: `node ${Math.random()}`,
      address: '127.0.0.1',
      port: 62_050,
      connectionType: 'grpc',
      serverCa: 'none',
      keepAlive: 60,
      coreConfigId,
      apiKeyEncrypted: Buffer.alloc(0),
      status: 'disabled',
    }),
  );
  return id;
}

async function orders(id: number) {
  const { manager } = management.database;
  const { corePending, startRevision, coreConfigId } = await manager.findOneByOrFail(Node, { id });
  const { pinnedCore } = await management.app.get(NodeCoreRepository).findStartColumns(manager, id);
  return { corePending, pinnedCore, startRevision, coreConfigId };
}
const asItIs = { corePending: false, pinnedCore: null, startRevision: 0n };
const held = (config: object) => ({ config, excludeInboundTags: [], fallbacksInboundTags: [], privateNetworks: [] });

let id: number;
let node: number;
beforeEach(async () => {
  id = idOf(await management.call('POST', '/api/core', core()));
  node = await nodeOf(id);
});

describe('PUT /api/core/{core_id}', () => {
  it('replaces all fields and keeps the new order of keys', async () => {
    await put(
      id,
      core({ exclude_inbound_tags: ['one'], fallbacks_inbound_tags: ['two'], private_networks: ['10.0.0.0/8'] }),
    );
    const { inbounds, outbounds } = configOf('two');
    const { body } = await put(id, { name: 'renamed', config: { outbounds, inbounds } });
    const expected = {
      name: 'renamed',
      config: { outbounds, inbounds },
      exclude_inbound_tags: [],
      fallbacks_inbound_tags: [],
      private_networks: [],
      id,
      created_at: expect.stringMatching(/Z$/),
      version: expect.any(String),
    };
    expect(body).toEqual({ ...expected, warnings: [] });
    expect((await read(id)).body).toEqual({ ...expected, warnings: [] });
    await put(id, { name: 'renamed', config: { inbounds, outbounds } });
    expect(JSON.stringify((await read(id)).body)).toContain(JSON.stringify({ inbounds, outbounds }));
  });

  it('warns of hosts and groups that lose an inbound, and does not change them', async () => {
    await put(id, core({ config: configOf('kept', 'lost', 'other') }));
    const priority = 1;
    const host = idOf(await management.call('POST', '/api/host', { remark: 'h', inbound_tag: 'lost', priority }));
    const group = { name: 'losing', inbound_tags: ['kept', 'lost'] };
    const groupId = idOf(await management.call('POST', '/api/group', group));
    expect(warningsOf(await put(id, core({ config: configOf('kept') })))).toEqual([
      {
        path: 'inbounds',
        code: 'inbound_tag_orphaned',
        message: `inbound lost is in no core any more, but still used by hosts h (${host}) and groups losing`,
      },
    ]);
    expect((await management.call('GET', `/api/host/${host}`)).body).toMatchObject({ inbound_tag: 'lost' });
    expect((await management.call('GET', `/api/group/${groupId}`)).body).toMatchObject(group);
    expect(warningsOf(await put(id, core({ config: configOf('kept', 'more') })))).toEqual([]);
  });

  it('does not warn of a tag that another core still offers', async () => {
    await management.call('POST', '/api/group', { name: 'shared', inbound_tags: ['two'] });
    const other = idOf(await management.call('POST', '/api/core', core()));
    expect(warningsOf(await put(id, core({ config: configOf('one') })))).toEqual([]);
    await management.call('DELETE', `/api/core/${other}`);
  });

  it('warns of a tag that is excluded now', async () => {
    await put(id, core({ config: configOf('excluded', 'two') }));
    await management.call('POST', '/api/group', { name: 'excluding', inbound_tags: ['excluded'] });
    const change = core({ config: configOf('excluded', 'two'), exclude_inbound_tags: ['excluded'] });
    expect(warningsOf(await put(id, change))).toEqual([
      {
        path: 'inbounds',
        code: 'inbound_tag_orphaned',
        message: 'inbound excluded is in no core any more, but still used by groups excluding',
      },
    ]);
  });

  it('warns of what the engines of its nodes demand from clients', async () => {
    const realitySettings = {
      target: 'example.com:443',
      privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
      shortIds: ['ab12'],
      serverNames: ['example.com'],
    };
    const [inbound] = configOf('one').inbounds;
    const streamSettings = { security: 'reality', realitySettings };
    const change = core({ config: { ...configOf(), inbounds: [{ ...inbound, streamSettings }] } });
    expect(warningsOf(await put(id, change))).toEqual([]);
    await management.database.manager.update(Node, { id: node }, { coreVersion: '26.9.8' });
    expect(warningsOf(await put(id, change))).toEqual([
      {
        path: 'inbounds[0].streamSettings.realitySettings',
        code: 'reality_key_share',
        message:
          'engine 26.9.8 takes only clients with an X25519MLKEM768 key share on inbound one: sing-box, Karing, Shadowrocket and Exclave have none, Xray and mihomo have one with the fingerprint chrome',
      },
    ]);
  });

  it('pins nodes to what they run at the first change', async () => {
    const bystander = await nodeOf(1);
    await put(id, core({ config: configOf('one') }));
    await put(id, core({ config: configOf('two') }), '?restart_nodes=false');
    expect(await orders(node)).toMatchObject({
      corePending: true,
      pinnedCore: held(configOf('one', 'two')),
      startRevision: 0n,
    });
    expect(await orders(bystander)).toMatchObject(asItIs);
    expect((await management.call('GET', `/api/node/${node}`)).body).toMatchObject({ core_pending: true });
  });

  it('security row 34: pins nodes to the private networks that they allow', async () => {
    await put(id, core({ config: configOf('one', 'two'), private_networks: ['10.0.0.0/8'] }));
    expect(await orders(node)).toMatchObject({ pinnedCore: { privateNetworks: [] } });
    await put(id, core({ config: configOf('one', 'two') }), '?restart_nodes=true');
    await put(id, core({ config: configOf('one', 'two'), private_networks: ['10.0.0.0/8'] }), '?restart_nodes=true');
    await put(id, core({ config: configOf('one', 'two') }));
    expect(await orders(node)).toMatchObject({ pinnedCore: { privateNetworks: ['10.0.0.0/8'] } });
  });

  it('does not pin nodes when their configuration stays the same', async () => {
    await put(id, core({ name: 'renamed', fallbacks_inbound_tags: ['one'] }));
    expect(await orders(node)).toMatchObject(asItIs);
  });

  it('restarts its nodes with restart_nodes', async () => {
    await put(id, core({ config: configOf('one') }));
    await put(id, core({ config: configOf('two') }), '?restart_nodes=true');
    const startRevision = await currentRevision(management.database.manager);
    expect(await orders(node)).toMatchObject({ corePending: true, pinnedCore: null, startRevision });
  });

  it.each(['maybe', ''])('refuses restart_nodes=%s', async (value) => {
    expect(await put(id, core({ name: 'no' }), `?restart_nodes=${value}`)).toEqual({
      status: 422,
      body: { detail: { restart_nodes: 'Input should be true or false' }, code: 'INVALID_FIELDS' },
    });
    expect((await read(id)).body).toMatchObject({ name: 'core' });
  });

  it('refuses a body without the form of a core', async () => {
    expect(await put(id, { config: {} })).toEqual({
      status: 422,
      body: {
        detail: { name: 'Field required', config: 'config must be an object that is not empty' },
        code: 'INVALID_FIELDS',
      },
    });
    expect((await read(id)).body).toMatchObject({ name: 'core' });
  });

  it('answers 404 for an unknown core', async () => {
    expect(await put(4711, core())).toEqual(NOT_FOUND);
  });
});

describe('POST /api/core/{core_id}/restart', () => {
  it('has its nodes started with the stored core', async () => {
    await put(id, core({ config: configOf('one') }));
    const bystander = await nodeOf(1);
    expect(await management.request('POST', `/api/core/${id}/restart`)).toMatchObject({ status: 204, text: '' });
    const startRevision = await currentRevision(management.database.manager);
    expect(await orders(node)).toMatchObject({ corePending: true, pinnedCore: null, startRevision });
    expect(await orders(bystander)).toMatchObject(asItIs);
  });

  it('answers 404 for an unknown core', async () => {
    const before = await currentRevision(management.database.manager);
    expect(await management.call('POST', '/api/core/4711/restart')).toEqual(NOT_FOUND);
    expect(await currentRevision(management.database.manager)).toBe(before);
  });
});

describe('DELETE /api/core/{core_id}', () => {
  it('deletes the core, whose nodes keep running it', async () => {
    expect(await management.request('DELETE', `/api/core/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(await read(id)).toEqual(NOT_FOUND);
    expect(await orders(node)).toEqual({
      coreConfigId: null,
      corePending: true,
      pinnedCore: held(configOf('one', 'two')),
      startRevision: 0n,
    });
  });

  it('removes its tags from the offered ones', async () => {
    const fresh = idOf(await management.call('POST', '/api/core', core({ config: configOf('fleeting') })));
    expect((await management.call('GET', '/api/inbounds')).body).toContain('fleeting');
    await management.call('DELETE', `/api/core/${fresh}`);
    expect((await management.call('GET', '/api/inbounds')).body).not.toContain('fleeting');
  });

  it('refuses to delete the default core', async () => {
    const count = await management.database.manager.count(Core);
    expect(await management.call('DELETE', '/api/core/1')).toEqual({
      status: 403,
      body: { detail: 'Cannot delete default core config', code: 'CORE_IS_DEFAULT' },
    });
    expect(await management.database.manager.count(Core)).toBe(count);
    expect((await management.call('GET', '/api/core/1')).body).toMatchObject({
      id: 1,
      name: 'Default Core Config',
      config: { inbounds: [{ tag: DEFAULT_TAG }] },
    });
  });

  it('answers 404 for an unknown core', async () => {
    expect(await management.call('DELETE', '/api/core/4711')).toEqual(NOT_FOUND);
  });
});
