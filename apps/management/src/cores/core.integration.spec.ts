import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Core } from '../core-store/core.entity.js';
import { CoreRepository } from '../core-store/core.repository.js';
import { raiseConfigVersion } from '../database/config-version.js';
import { Node } from '../nodes/store/node.entity.js';
import { TestManagement } from '../testing/test-management.js';

let management: TestManagement;
let certs: string;
beforeAll(async () => {
  certs = await mkdtemp(join(tmpdir(), 'rampart-certs-'));
  await writeFile(join(certs, 'not-a-certificate.pem'), 'hello');
  management = await TestManagement.start({ RAMPART_CERTS_DIR: certs });
});
afterAll(async () => {
  await management?.close();
  await rm(certs, { recursive: true, force: true });
});

const outbounds = [{ tag: 'direct', protocol: 'freedom' }];
const vless = (tag: string, more: object = {}) => ({ tag, protocol: 'vless', port: 443, ...more });
const withInbounds = (...inbounds: unknown[]) => ({ name: 'core', config: { inbounds, outbounds } });
const create = (core: unknown) => management.call('POST', '/api/core', core);
const count = () => management.database.manager.count(Core);
/** A core that no request could save. */
const stored = (core: { name: string; config: Record<string, unknown> }) => {
  const columns = { ...core, excludeInboundTags: [], fallbacksInboundTags: [], privateNetworks: [] };
  return management.app.get(CoreRepository).insertCore(management.database.manager, columns);
};

describe('POST /api/core', () => {
  it('stores the configuration with its order of keys and its unknown keys', async () => {
    const config = { zebra: 1, outbounds, inbounds: [vless('order')], alpha: { b: 1, a: [2, 1] } };
    const created = await management.request('POST', '/api/core', {
      name: 'ordered',
      config,
      exclude_inbound_tags: ['x'],
      fallbacks_inbound_tags: ['y'],
      id: 77,
      created_at: 'never',
    });
    expect(created).toMatchObject({ status: 201, body: { id: 2 } });
    const read = await management.request('GET', '/api/core/2');
    const expected = {
      name: 'ordered',
      config,
      exclude_inbound_tags: ['x'],
      fallbacks_inbound_tags: ['y'],
      private_networks: [],
      id: 2,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      version: expect.any(String),
    };
    expect(read.body).toEqual({ ...expected, warnings: [] });
    expect(created.body).toEqual({ ...expected, warnings: [] });
    expect(read.text).toContain(JSON.stringify(config));
  });

  it('answers with warnings about an accepted configuration', async () => {
    const core = withInbounds(
      vless('old', { streamSettings: { network: 'quic' } }),
      vless('new', { streamSettings: { network: 'xhttp' }, port: 444 }),
    );
    expect(await create(core)).toMatchObject({
      status: 201,
      body: {
        warnings: [
          {
            path: 'inbounds[0].streamSettings.network',
            code: 'transport_removed',
            message: expect.stringContaining('inbound old is left out of nodes and subscriptions'),
          },
          {
            path: 'inbounds[1].streamSettings.sockopt.trustedXForwardedFor',
            code: 'address_of_proxy',
            message: expect.stringContaining('inbound new does not read X-Forwarded-For'),
          },
          {
            path: 'inbounds[1]',
            code: 'left_out_for_client',
            message: 'inbound new is left out for sing-box clients: they do not carry vless over xhttp without tls',
          },
        ],
      },
    });
  });

  it.each([
    [{ name: 'n', config: { outbounds } }, "config doesn't have inbounds"],
    [{ name: 'n', config: { inbounds: [vless('a')] } }, "config doesn't have outbounds"],
    [withInbounds(vless('a'), vless('a')), 'all inbounds must have a unique tag: a stands twice'],
    [
      withInbounds(vless('a,b')),
      'character «,» is not allowed in inbound tag: a,b (neither «,» nor «<=>» may stand in a tag)',
    ],
    [withInbounds({ tag: 'a', protocol: 'vmess' }), "a inbound doesn't have port"],
    ...['../secret.pem', '/etc/shadow', 'missing.pem', '.'].map((certificateFile): [unknown, string] => [
      withInbounds(
        vless('a', {
          streamSettings: { security: 'tls', tlsSettings: { certificates: [{ certificateFile, keyFile: 'k' }] } },
        }),
      ),
      'certificate files of a must lie in the directory of RAMPART_CERTS_DIR',
    ]),
  ])('refuses %j with the message of the contract', async (core, detail) => {
    const before = await count();
    expect(await create(core)).toEqual({ status: 400, body: { detail, code: 'CORE_REFUSED' } });
    expect(await count()).toBe(before);
  });

  it('security row 34: keeps private networks in one notation, and warns of each', async () => {
    const private_networks = ['10.1.2.3/16', '::ffff:10.1.0.0/112', '192.168.1.7', 'FD00:0::/32'];
    const { body } = await create({ ...withInbounds(vless('open')), private_networks });
    const networks = ['10.1.0.0/16', '192.168.1.7/32', 'fd00::/32'];
    const warnings = networks.map((network) => ({
      path: 'private_networks',
      code: 'private_networks_open',
      message: `users reach everything at ${network} that a node of this core can reach, by address and by name`,
    }));
    expect(body).toMatchObject({ private_networks: networks, warnings });
    const { id } = Object(body);
    expect((await management.call('GET', `/api/core/${id}`)).body).toMatchObject({
      private_networks: networks,
      warnings,
    });
    expect((await management.request('DELETE', `/api/core/${id}`)).status).toBe(204);
  });

  it('reads certificates from the certificate directory', async () => {
    const certificates = [{ certificateFile: 'not-a-certificate.pem', keyFile: 'key.pem' }];
    const core = withInbounds(vless('a', { streamSettings: { security: 'tls', tlsSettings: { certificates } } }));
    expect(await create(core)).toEqual({
      status: 400,
      body: { detail: 'certificate of a is not a certificate in PEM form', code: 'CORE_REFUSED' },
    });
  });

  it.each([
    [{}, { name: 'Field required', config: 'Field required' }],
    [{ name: 'n', config: {} }, { config: 'config must be an object that is not empty' }],
    [
      { name: 'n', config: '{"inbounds": [}' },
      { config: 'config is not valid JSON: line 1, column 15: value expected' },
    ],
    [{ name: 'n', config: 'no JSON' }, { config: 'config is not valid JSON: line 1, column 1: invalid symbol' }],
    [{ name: 'n', config: '' }, { config: 'config is not valid JSON: line 1, column 1: value expected' }],
    [{ name: 'n', config: '[]' }, { config: 'config must be a JSON object' }],
    [{ name: 'n', config: '{}' }, { config: 'config cannot be empty' }],
    [{ name: 'n', config: '{"a": {"__proto__": 1}}' }, { config: 'key "__proto__" is not allowed' }],
    [{ ...withInbounds(vless('a')), name: 'x'.repeat(257) }, { name: 'Input should have at most 256 characters' }],
    [{ ...withInbounds(vless('a')), name: '⌛️'.repeat(129) }, { name: 'Input should have at most 256 characters' }],
    [
      { ...withInbounds(vless('a')), exclude_inbound_tags: [1] },
      { exclude_inbound_tags: 'Input should be a list of strings' },
    ],
    [
      { ...withInbounds(vless('a')), exclude_inbound_tags: 'a' },
      { exclude_inbound_tags: 'Input should be a list of strings' },
    ],
    [
      { ...withInbounds(vless('a')), fallbacks_inbound_tags: ['x'.repeat(1024), 'y'.repeat(1024)] },
      { fallbacks_inbound_tags: 'Input should have at most 2048 characters when joined with commas' },
    ],
    ...[['10.0.0.0/33'], ['localhost'], '10.0.0.0/8', [1], Array<string>(65).fill('10.0.0.0/8')].map(
      (private_networks): [object, object] => [
        { ...withInbounds(vless('a')), private_networks },
        { private_networks: 'Input should be a list of at most 64 networks such as 10.1.0.0/16' },
      ],
    ),
    [
      JSON.parse('{"name":"n","config":{"log":{"__proto__":{"polluted":1}}}}'),
      { 'config.log.__proto__': 'is not allowed as a name' },
    ],
    [{ name: 'n\0', config: { a: 1 } }, { name: 'contains a NUL character or half a surrogate pair' }],
    [[], { body: 'Input should be an object' }],
  ])('refuses the form of %j', async (core, detail) => {
    const before = await count();
    expect(await create(core)).toEqual({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
    expect(await count()).toBe(before);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('refuses a configuration of ten thousand levels without failing', async () => {
    const deep = `{"name":"n","config":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`;
    const { statusCode, body } = await management.app.inject({
      method: 'POST',
      url: '/api/core',
      headers: {
        authorization: `Bearer ${await management.login('root', 'correct horse battery')}`,
        'content-type': 'application/json',
      },
      payload: deep,
    });
    expect(statusCode).toBe(422);
    expect(body).toContain('is nested deeper than 100 levels');
    expect((await management.call('GET', '/health')).status).toBe(200);
  });
});

describe('GET /api/cores', () => {
  it('lists cores in pages', async () => {
    const { body } = await management.call('GET', '/api/cores?offset=1&limit=1');
    expect(body).toMatchObject({ count: await count(), cores: [{ id: 2 }] });
  });

  it('refuses an invalid window', async () => {
    expect(await management.call('GET', '/api/cores?offset=-1&limit=many')).toEqual({
      status: 422,
      body: {
        detail: {
          offset: 'Input should be an integer from 0 to 2147483647',
          limit: 'Input should be an integer from 0 to 2147483647',
        },
        code: 'INVALID_FIELDS',
      },
    });
  });
});

describe('GET /api/core/{core_id}', () => {
  it('warns of what the engine of a node of the core demands from clients', async () => {
    const { privateKey, shortIds } = { privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8', shortIds: ['ab12'] };
    const realitySettings = { target: 'r.example:443', privateKey, shortIds, serverNames: ['r.example'] };
    const streamSettings = { security: 'reality', realitySettings };
    const { body } = await create(withInbounds(vless('strict', { streamSettings })));
    const { id } = Object(body);
    expect((await management.call('GET', `/api/core/${id}`)).body).toMatchObject({ warnings: [] });
    await management.database.manager.insert(Node, {
      name: 'newest',
      address: '192.0.2.1',
      port: 1,
      connectionType: 'grpc',
      serverCa: '',
      keepAlive: 0,
      coreConfigId: id,
      apiKeyEncrypted: Buffer.alloc(0),
      status: 'disabled',
      coreVersion: '26.9.8',
    });
    expect((await management.call('GET', `/api/core/${id}`)).body).toMatchObject({
      warnings: [
        {
          path: 'inbounds[0].streamSettings.realitySettings',
          code: 'reality_key_share',
          message:
            'engine 26.9.8 takes only clients with an X25519MLKEM768 key share on inbound strict: sing-box, Karing, Shadowrocket and Exclave have none, Xray and mihomo have one with the fingerprint chrome',
        },
      ],
    });
    await management.call('DELETE', `/api/core/${id}`);
  });

  it('returns a stored core that is no longer valid, with the reason as a warning', async () => {
    const { manager } = management.database;
    const { id } = await stored({ name: 'broken', config: { inbounds: 'none' } });
    expect(await management.call('GET', `/api/core/${id}`)).toMatchObject({
      status: 200,
      body: {
        config: { inbounds: 'none' },
        warnings: [{ path: 'inbounds', code: 'core_refused', message: "config doesn't have inbounds" }],
      },
    });
    await manager.delete(Core, { id });
  });

  it('answers with a stored core of which a newer rule leaves out an inbound, and keeps what is stored', async () => {
    const { manager } = management.database;
    const config = {
      inbounds: [vless('kept'), { ...vless('odd'), port: 444, protocol: 'vmess', settings: 7 }],
      outbounds: [{ tag: 'direct', protocol: 'freedom' }],
    };
    const { id } = await stored({ name: 'older', config });
    const message = 'inbounds[1].settings must be an object';
    expect(await management.call('GET', `/api/core/${id}`)).toMatchObject({
      status: 200,
      body: { config, warnings: [{ path: 'inbounds[1].settings', code: 'core_refused', message }] },
    });
    expect(await create({ name: 'newer', config })).toMatchObject({ status: 400, body: { detail: message } });
    await manager.delete(Core, { id });
  });

  it('answers 404 for an unknown core', async () => {
    expect(await management.call('GET', '/api/core/4711')).toEqual({
      status: 404,
      body: { detail: 'Core config not found', code: 'CORE_NOT_FOUND' },
    });
  });

  it.each(['0', '-1', '1.5', 'x', '99999999999999999999'])('refuses the id %s', async (id) => {
    expect(await management.call('GET', `/api/core/${id}`)).toEqual({
      status: 422,
      body: { detail: { core_id: 'Input should be an integer from 1 to 2147483647' }, code: 'INVALID_FIELDS' },
    });
  });
});

describe('GET /api/inbounds', () => {
  const TAGS = ['Shadowsocks TCP', 'order', 'old', 'new'];

  it('lists the tags of all cores, the default one first', async () => {
    expect((await management.call('GET', '/api/inbounds')).body).toEqual(TAGS);
  });

  it('omits the tags of a stored core that is no longer valid', async () => {
    const { manager } = management.database;
    await manager.transaction(raiseConfigVersion);
    await stored({ name: 'broken', config: { inbounds: 'none' } });
    expect((await management.call('GET', '/api/inbounds')).body).toEqual(TAGS);
    expect((await management.call('GET', '/api/cores')).status).toBe(200);
    await manager.delete(Core, { name: 'broken' });
  });
});
