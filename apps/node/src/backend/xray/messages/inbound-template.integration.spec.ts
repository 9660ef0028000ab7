import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer as createPlainServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ALLOW_PRIVATE, type EngineClient, enginePath, freePort, type LocalWeb, startLocalWeb } from '@rampart/testing';
import { shadowsocksOutbound, trojanOutbound, vmessOutbound } from '../../../testing/clients/client-outbounds.js';
import { createSelfSigned } from '../../../tls/self-signed.js';
import { EngineRefusal } from '../api/engine-call.js';
import { pageOf, startClientEngine } from '../testing/client-engine.js';
import { EngineFixture } from '../testing/engine-run.js';
import type { Account } from '../users/account.js';
import type { InboundMember } from '../users/user-directory.js';

const METHOD = '2022-blake3-aes-128-gcm';
const INBOUND_KEY = randomBytes(16).toString('base64');
const TAGS = ['tls', 'encrypted', 'reality', 'trojan', 'vmess', 'ss', 'ss2022'] as const;
type Tag = (typeof TAGS)[number];
type User = 'old' | 'new';

const ids = { old: '00000000-0000-4000-8000-000000000001', new: '00000000-0000-4000-8000-000000000002' };
const keys = { old: randomBytes(16).toString('base64'), new: randomBytes(16).toString('base64') };

function accountOf(tag: Tag, user: User): Account {
  switch (tag) {
    case 'tls':
    case 'reality':
      return { protocol: 'vless', id: ids[user], flow: 'xtls-rprx-vision' };
    case 'encrypted':
      return { protocol: 'vless', id: ids[user], flow: '' };
    case 'vmess':
      return { protocol: 'vmess', id: ids[user] };
    case 'trojan':
      return { protocol: 'trojan', password: `password of ${user}` };
    case 'ss':
      return { protocol: 'shadowsocks', password: `password of ${user}`, method: 'aes-256-gcm' };
    case 'ss2022':
      return { protocol: 'shadowsocks-2022', key: keys[user] };
  }
}
const only = (user: User) => (tag: string) =>
  TAGS.filter((one) => one === tag).map(
    (one): InboundMember => ({ email: `1.${user}`, account: accountOf(one, user) }),
  );

/** The output of `vlessenc`: the server's `decryption` and the client's `encryption`. */
function vlessEncryption(): { decryption: string; encryption: string } {
  const printed = execFileSync(enginePath(), ['vlessenc'], { encoding: 'utf8' });
  const [, decryption = '', encryption = ''] = /"decryption": "([^"]+)"\s+"encryption": "([^"]+)"/.exec(printed) ?? [];
  return { decryption, encryption };
}

function x25519(): { privateKey: string; publicKey: string } {
  const { x, d } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return { privateKey: String(d), publicKey: String(x) };
}

describe('an inbound from its template', () => {
  let dir: string;
  let web: LocalWeb;
  let sniffedWeb: LocalWeb;
  let camouflage: Server;
  let engine: EngineFixture;
  let client: EngineClient;
  let ports: Record<Tag, number>;
  let certificate: string;

  const fetch = (tag: Tag, user: User, withinMs?: number) => client.fetch(pageOf(`${tag}-${user}`), withinMs);

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'rampart-template-'));
    await createSelfSigned(join(dir, 'tls'), ['camouflage.test']);
    const files = { certificateFile: join(dir, 'tls/certificate.pem'), keyFile: join(dir, 'tls/key.pem') };
    certificate = await readFile(files.certificateFile, 'utf8');
    const key = await readFile(files.keyFile, 'utf8');
    web = await startLocalWeb('the page behind the proxy');
    sniffedWeb = await startLocalWeb('the page of what was sniffed');
    camouflage = createServer({ cert: certificate, key, minVersion: 'TLSv1.3', ALPNProtocols: ['h2', 'http/1.1'] });
    await new Promise<void>((resolve) => camouflage.listen(0, '127.0.0.1', resolve));
    const address = camouflage.address();
    const dest = typeof address === 'object' && address !== null ? address.port : 0;
    const free: [Tag, number][] = [];
    for (const tag of TAGS) free.push([tag, await freePort()]);
    ports = Object.fromEntries(free) as Record<Tag, number>;

    const reality = x25519();
    const { decryption, encryption } = vlessEncryption();
    const tls = { security: 'tls', tlsSettings: { certificates: [files] } };
    const hostOf = ({ url }: LocalWeb) => new URL(url).host;
    const on = (tag: Tag, protocol: string, settings: object, streamSettings: object = {}, others: object = {}) => ({
      ...{ tag, listen: '127.0.0.1', port: ports[tag], protocol, settings, streamSettings, ...others },
    });
    const config = {
      inbounds: [
        on('tls', 'vless', { decryption: 'none', fallbacks: [{ dest: Number(new URL(web.url).port) }] }, tls),
        on('encrypted', 'vless', { decryption }, { network: 'ws', wsSettings: { path: '/deep/path' } }),
        on(
          'reality',
          'vless',
          { decryption: 'none' },
          {
            security: 'reality',
            realitySettings: {
              dest: `127.0.0.1:${dest}`,
              serverNames: ['camouflage.test'],
              privateKey: reality.privateKey,
              shortIds: ['0123456789abcdef'],
            },
          },
        ),
        on('trojan', 'trojan', {}, tls),
        on('vmess', 'vmess', {}, { network: 'httpupgrade', httpupgradeSettings: { path: '/upgrade' } }),
        on('ss', 'shadowsocks', {}, {}, { sniffing: { enabled: true, destOverride: ['http'] } }),
        on('ss2022', 'shadowsocks', { method: METHOD, password: INBOUND_KEY }),
        {
          ...{ tag: 'hysteria', listen: '127.0.0.1', port: await freePort(), protocol: 'hysteria' },
          settings: { version: 2 },
          streamSettings: { ...tls, network: 'hysteria', hysteriaSettings: { version: 2 } },
        },
      ],
      outbounds: [
        { protocol: 'freedom', settings: { ...ALLOW_PRIVATE, redirect: hostOf(web) } },
        { tag: 'sniffed', protocol: 'freedom', settings: { ...ALLOW_PRIVATE, redirect: hostOf(sniffedWeb) } },
      ],
      routing: { rules: [{ type: 'field', protocol: ['http'], outboundTag: 'sniffed' }] },
    };
    engine = await EngineFixture.open(config, only('old'));

    const trusting = {
      serverName: 'camouflage.test',
      certificates: [{ usage: 'verify', certificate: certificate.split('\n') }],
    };
    const over = (outbound: Record<string, unknown>, streamSettings: object) => ({ ...outbound, streamSettings });
    const vless = (tag: Tag, user: User, flow: string, others: object = {}) => ({
      protocol: 'vless',
      settings: {
        vnext: [
          { address: '127.0.0.1', port: ports[tag], users: [{ id: ids[user], encryption: 'none', flow, ...others }] },
        ],
      },
    });
    const outboundOf = (tag: Tag, user: User): Record<string, unknown> => {
      switch (tag) {
        case 'tls':
          return over(vless(tag, user, 'xtls-rprx-vision'), { security: 'tls', tlsSettings: trusting });
        case 'encrypted':
          return over(vless(tag, user, '', { encryption }), { network: 'ws', wsSettings: { path: '/deep/path' } });
        case 'reality':
          return over(vless(tag, user, 'xtls-rprx-vision'), {
            security: 'reality',
            realitySettings: {
              fingerprint: 'chrome',
              serverName: 'camouflage.test',
              publicKey: reality.publicKey,
              shortId: '0123456789abcdef',
            },
          });
        case 'trojan':
          return over(trojanOutbound(ports[tag], `password of ${user}`), { security: 'tls', tlsSettings: trusting });
        case 'vmess':
          return over(vmessOutbound(ports[tag], ids[user]), {
            network: 'httpupgrade',
            httpupgradeSettings: { path: '/upgrade' },
          });
        case 'ss':
          return shadowsocksOutbound(ports[tag], 'aes-256-gcm', `password of ${user}`);
        case 'ss2022':
          return shadowsocksOutbound(ports[tag], METHOD, `${INBOUND_KEY}:${keys[user]}`);
      }
    };
    client = await startClientEngine(
      new Map(
        TAGS.flatMap((tag) => (['old', 'new'] as const).map((user) => [`${tag}-${user}`, outboundOf(tag, user)])),
      ),
    );
  });

  afterAll(async () => {
    await client?.close();
    await engine?.close();
    await web?.close();
    await sniffedWeb?.close();
    await new Promise((resolve) => camouflage.close(resolve));
    await rm(dir, { recursive: true, force: true });
  });

  it('serves exactly its users, with all settings of the configuration', async () => {
    const expected = (tag: Tag) => (tag === 'ss' ? sniffedWeb.page : web.page);
    for (const tag of TAGS) expect([tag, await fetch(tag, 'old')]).toEqual([tag, expected(tag)]);

    for (const tag of TAGS) {
      const { message, leftOut } = await engine.templates.templateOf(tag).fillWith(only('new')(tag));
      expect(leftOut).toEqual([]);
      await engine.api.removeInbound(tag);
      await engine.api.addInbound(message);
    }
    for (const tag of TAGS) expect([tag, await fetch(tag, 'new')]).toEqual([tag, expected(tag)]);
    await Promise.all(TAGS.map((tag) => expect(fetch(tag, 'old', 1000)).rejects.toThrow()));
    expect(await fallback()).toBe(web.page);
    const counts = await Promise.all(TAGS.map((tag) => engine.api.countUsers(tag)));
    expect(counts).toEqual(TAGS.map((tag) => (tag === 'ss2022' ? 2 : 1)));
  });

  it('an inbound template accepts the users of hysteria', async () => {
    const account = { protocol: 'hysteria', auth: 'auth of new' } as const;
    const { message } = await engine.templates.templateOf('hysteria').fillWith([{ email: '1.new', account }]);
    await engine.api.removeInbound('hysteria');
    await engine.api.addInbound(message);
    expect(await engine.api.countUsers('hysteria')).toBe(1);
  });

  it('a refused inbound can be added after its tag is removed', async () => {
    const { message } = await engine.templates.templateOf('trojan').fillWith(only('new')('trojan'));
    await engine.api.removeInbound('trojan');
    const rival = createPlainServer();
    await new Promise<void>((resolve) => rival.listen(ports.trojan, '127.0.0.1', resolve));
    await expect(engine.api.addInbound(message)).rejects.toThrow(EngineRefusal);
    await new Promise((resolve) => rival.close(resolve));
    await expect(engine.api.addInbound(message)).rejects.toThrow('existing tag found: trojan');
    await engine.api.removeInbound('trojan');
    await engine.api.addInbound(message);
    expect(await fetch('trojan', 'new')).toBe(web.page);
  });

  /** What a client without credentials gets from the inbound with a certificate. */
  const fallback = () =>
    new Promise<string>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: ports.tls, servername: 'camouflage.test', ca: certificate };
      request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks).toString()));
      })
        .on('error', reject)
        .end();
    });
});
