import { afterEach, describe, expect, it } from '@jest/globals';
import { Node } from '../nodes/store/node.entity.js';
import { StartRequestBuilder } from '../nodes/sync/start-request-builder.js';
import { LEAF } from '../nodes/testing/certificates.js';
import { createEmptyDatabase } from '../testing/migrated-database.js';
import { dumpDatabase } from '../testing/schema-dump.js';
import { TestManagement } from '../testing/test-management.js';

/** Every kind of secret that a configuration can have. The engine reads none of them here. */
const SECRETS = [
  ['REALITY private key', 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8'],
  ['mldsa65Seed', 'c2VlZC1vZi1tbGRzYTY1LXNlZWQtb2YtbWxkc2E2NS0'],
  ['TLS key in line', 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIB'],
  ['Shadowsocks server key', 'c2VydmVyLWtleS0xNi1ieQ=='],
  ['decryption', 'mlkem768x25519plus.native.600s.a2V5LW9mLXZsZXNzLWRlY3J5cHRpb24'],
  ['WireGuard secret key', 'd2lyZWd1YXJkLXNlY3JldC1rZXktd2lyZWd1YXJkLXM='],
  ['password of an outbound', 'password of a chained proxy'],
] as const;
const [REALITY, SEED, TLS, SERVER, DECRYPTION, WIREGUARD, PASSWORD] = SECRETS.map(([, secret]) => secret);

const config = {
  inbounds: [
    {
      tag: 'reality',
      protocol: 'vless',
      port: 443,
      settings: { decryption: 'none' },
      streamSettings: {
        security: 'reality',
        realitySettings: {
          target: 'example.com:443',
          privateKey: REALITY,
          mldsa65Seed: SEED,
          shortIds: ['ab12'],
          serverNames: ['example.com'],
        },
      },
    },
    {
      tag: 'tls',
      protocol: 'trojan',
      port: 444,
      streamSettings: {
        security: 'tls',
        tlsSettings: { certificates: [{ certificate: LEAF.trim().split('\n'), key: [TLS] }] },
      },
    },
    {
      tag: '2022',
      protocol: 'shadowsocks',
      port: 445,
      settings: { method: '2022-blake3-aes-128-gcm', password: SERVER, network: 'tcp' },
    },
    { tag: 'encrypted', protocol: 'vless', port: 446, settings: { decryption: DECRYPTION, encryption: 'x' } },
  ],
  outbounds: [
    { tag: 'direct', protocol: 'freedom' },
    { tag: 'wg', protocol: 'wireguard', settings: { secretKey: WIREGUARD, peers: [] } },
    {
      tag: 'chained',
      protocol: 'trojan',
      settings: { servers: [{ address: 'proxy.example', port: 443, password: PASSWORD }] },
    },
  ],
};

const started: TestManagement[] = [];
afterEach(async () => {
  for (const management of started.splice(0)) await management.close();
});

async function start(settings: Record<string, string> = {}): Promise<TestManagement> {
  const management = await TestManagement.start(settings);
  started.push(management);
  return management;
}

/** Creates the core with all secrets, and returns its id. */
async function secretCore(management: TestManagement, name = 'secret'): Promise<number> {
  const tagged = config.inbounds.map((inbound) => ({ ...inbound, tag: `${inbound.tag} of ${name}` }));
  const { status, body } = await management.call('POST', '/api/core', {
    name,
    config: { ...config, inbounds: tagged },
  });
  expect({ status, body }).toMatchObject({ status: 201, body: { name } });
  return Object(body).id;
}

const nodeOf = ({ database: { manager } }: TestManagement, coreConfigId: number) =>
  manager.save(
    manager.create(Node, {
      name: `node ${coreConfigId}`,
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

const keyOf = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const CANNOT_OPEN =
  'the configuration cannot be decrypted, because the at-rest key that sealed it is missing: give the key back, or save ' +
  'the configuration anew';

describe('the keys of cores', () => {
  it('security row 63: a dump of the database shows no key of a core, not in the log of changes and not where a node keeps an older core', async () => {
    const management = await start();
    const id = await secretCore(management);
    await nodeOf(management, id);
    const outbounds = [...config.outbounds, { tag: 'another', protocol: 'blackhole' }];
    const change = { name: 'changed', config: { ...config, outbounds } };
    expect(await management.call('PUT', `/api/core/${id}`, change)).toMatchObject({ status: 200, body: change });
    await management.call('DELETE', `/api/core/${await secretCore(management, 'deleted')}`);

    const dump = await dumpDatabase(management.database);
    // What a sealed text must not be: the text, or its bytes.
    const found = SECRETS.filter(
      ([, secret]) => dump.includes(secret) || dump.includes(Buffer.from(secret).toString('hex')),
    );
    expect(found).toEqual([]);
    expect(await management.database.query('SELECT count(pinned_core_sealed)::integer AS n FROM nodes')).toEqual([
      { n: 1 },
    ]);
    expect(await management.database.query(`SELECT DISTINCT action FROM audit_entries WHERE action ~ '^core'`)).toEqual(
      expect.arrayContaining([{ action: 'core.create' }, { action: 'core.modify' }, { action: 'core.delete' }]),
    );
  });

  it('security row 63: the configuration of a core opens in its own row only, and one that does not open is shown with the problem', async () => {
    const management = await start();
    const [moved, kept] = [await secretCore(management, 'moved'), await secretCore(management, 'kept')];
    await management.database.query(
      `UPDATE cores SET config_sealed = (SELECT config_sealed FROM cores WHERE id = $2) WHERE id = $1`,
      [moved, kept],
    );
    await management.database.query(`UPDATE counters SET value = value + 1 WHERE name = 'config'`);

    expect(await management.call('GET', `/api/core/${moved}`)).toMatchObject({
      status: 200,
      body: { name: 'moved', config: {}, warnings: [{ path: '', code: 'core_refused', message: CANNOT_OPEN }] },
    });
    expect(await management.call('GET', '/api/cores')).toMatchObject({ status: 200, body: { count: 3 } });
    expect((await management.call('GET', '/api/inbounds')).body).toEqual([
      'Shadowsocks TCP',
      ...config.inbounds.map(({ tag }) => `${tag} of kept`),
    ]);

    // It is repaired by saving it. Its nodes are not held back: what they ran cannot be started again.
    const { id: node } = await nodeOf(management, moved);
    expect(await management.call('PUT', `/api/core/${moved}`, { name: 'mended', config })).toMatchObject({
      status: 200,
      body: { name: 'mended', config },
    });
    expect(
      await management.database.query('SELECT core_pending, pinned_core_sealed FROM nodes WHERE id = $1', [node]),
    ).toEqual([{ core_pending: true, pinned_core_sealed: null }]);
  });

  it('security row 63: another at-rest key seals cores anew, also those that nodes keep, and then the old one is not needed', async () => {
    const url = await createEmptyDatabase();
    const settings = { DATABASE_URL: url, RAMPART_SUBSCRIPTION_KEY: keyOf(1), RAMPART_JWT_KEY: keyOf(2) };
    const first = await start({ ...settings, RAMPART_AT_REST_KEY: keyOf(3) });
    const id = await secretCore(first);
    const { id: node } = await nodeOf(first, id);
    await first.call('PUT', `/api/core/${id}`, { name: 'changed', config });
    await started.pop()?.close();

    await start({ ...settings, RAMPART_AT_REST_KEY: keyOf(4), RAMPART_AT_REST_KEY_PREVIOUS: keyOf(3) });
    await started.pop()?.close();

    const third = await start({ ...settings, RAMPART_AT_REST_KEY: keyOf(4) });
    expect(await third.call('GET', `/api/core/${id}`)).toMatchObject({
      status: 200,
      body: { config, name: 'changed' },
    });
    expect((await third.call('GET', '/api/core/1')).body).toMatchObject({
      name: 'Default Core Config',
      warnings: [{ code: 'shadowsocks_trial' }],
    });
    const pinned = await third.app.get(StartRequestBuilder).buildConfig(node);
    expect(pinned).toContain(REALITY);
    expect(pinned).toContain('reality of secret');
  });
});
