import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { certificate } from './certificate.js';
import {
  type Core,
  configOf,
  createCore,
  deleteCore,
  type Inbound,
  OUTBOUNDS,
  realitySettings,
  vless,
} from './core-config.js';
import { environment } from './environment.js';
import { expectRefused, someText, startingWith } from './refusal.js';

const KEY_128 = Buffer.alloc(16, 1).toString('base64');
const KEY_256 = Buffer.alloc(32, 1).toString('base64');
const T = 'rule tag';

const stream = (network: string | undefined, settings: Record<string, unknown> = {}): Inbound =>
  vless(T, { streamSettings: { ...(network !== undefined && { network }), ...settings } });
const tls = (...certificates: readonly unknown[]): Inbound =>
  stream('tcp', { security: 'tls', tlsSettings: { certificates } });
const reality = (rest: Record<string, unknown>): Inbound =>
  stream('tcp', { security: 'reality', realitySettings: { ...realitySettings, ...rest } });
const shadowsocks = (settings: Record<string, unknown>): Inbound => ({
  tag: T,
  protocol: 'shadowsocks',
  port: 8388,
  settings,
});
const withFallbacks = (protocol: string, dest: unknown, rest: Record<string, unknown> = {}): Inbound =>
  vless(T, { protocol, settings: { decryption: 'none', fallbacks: [{ dest }] }, ...rest });
const other = (protocol: string): Inbound => ({ tag: `${T} ${protocol}`, protocol });
const tcpRequest = (request: unknown) => ({ header: { type: 'http', request } });
const headers = { Host: 'ws.example' };

const accepted: readonly [title: string, inbounds: readonly Inbound[]][] = [
  ['vless', [vless(T)]],
  ['vless without decryption', [vless(T, { settings: {} })]],
  ['vless with encryption', [vless(T, { settings: { decryption: 'mlkem768.native', encryption: 'mlkem768.native' } })]],
  ['vmess', [vless(T, { protocol: 'vmess', settings: {} })]],
  ['trojan', [vless(T, { protocol: 'trojan', settings: {} })]],
  ['shadowsocks without a method', [shadowsocks({})]],
  ['a legacy shadowsocks method', [shadowsocks({ method: 'aes-256-gcm', password: 'not base64!' })]],
  ['2022-blake3-aes-128-gcm', [shadowsocks({ method: '2022-blake3-aes-128-gcm', password: KEY_128 })]],
  ['2022-blake3-aes-256-gcm', [shadowsocks({ method: '2022-blake3-aes-256-gcm', password: KEY_256 })]],
  ['an ignored socks', [vless(T), other('socks')]],
  ['an ignored http', [vless(T), other('http')]],
  ['the lowest port', [vless(T, { port: 1 })]],
  ['the highest port', [vless(T, { port: 65_535 })]],
  ['several ports', [vless(T, { port: '80,443' })]],
  ['a range of ports', [vless(T, { port: '1000-1010' })]],
  [
    'a destination of a fallback without a port',
    [withFallbacks('vless', '@inner'), vless(`${T} inner`, { port: undefined, listen: '@inner' })],
  ],
  ['own fallbacks without a port, vless', [withFallbacks('vless', 80, { port: undefined })]],
  ['own fallbacks without a port, trojan', [withFallbacks('trojan', 80, { port: undefined })]],
  ['a unix socket without a port', [vless(T, { port: undefined, listen: '/run/rampart.sock' })]],
  ['a certificate as a string', [tls({ certificate: certificate.join('\n'), key: 'key' })]],
  ['a certificate as an array', [tls({ certificate, key: ['key'] })]],
  ['reality', [reality({})]],
  ['reality with an empty short id', [reality({ shortIds: [''] })]],
  ['reality with its options', [reality({ SpiderX: '/spider', mldsa65Verify: 'AAAA' })]],
  ['tcp with lists', [stream('tcp', { tcpSettings: tcpRequest({ path: ['/a', '/b'], headers: { Host: ['h'] } }) })]],
  ['raw with lists', [stream('raw', { rawSettings: tcpRequest({ path: ['/a'], headers: { Host: ['h'] } }) })]],
  ['ws with strings', [stream('ws', { wsSettings: { path: '/ws', host: 'ws.example' } })]],
  ['ws with a Host header', [stream('ws', { wsSettings: { path: '/ws', headers } })]],
  ['grpc', [stream('grpc', { grpcSettings: { serviceName: 'service', authority: 'grpc.example' } })]],
  ['gun', [stream('gun', { gunSettings: { serviceName: 'service' } })]],
  ['quic', [stream('quic', { quicSettings: { key: 'key', security: 'none' } })]],
  ['kcp', [stream('kcp', { kcpSettings: { seed: 'seed' } })]],
  ['httpupgrade', [stream('httpupgrade', { httpupgradeSettings: { path: '/up', host: 'up.example' } })]],
  ['splithttp', [stream('splithttp', { splithttpSettings: { path: '/split', mode: 'packet-up' } })]],
  ['xhttp', [stream('xhttp', { xhttpSettings: { path: '/x', mode: 'stream-one' } })]],
  ['http', [stream('http', { httpSettings: { path: '/http', host: ['http.example'] } })]],
  ['h2', [stream('h2', { httpSettings: { path: '/h2', host: ['h2.example'] } })]],
  ['h3', [stream('h3', { httpSettings: { path: '/h3', host: ['h3.example'] } })]],
];

const refusedInbounds: readonly [title: string, inbounds: readonly Inbound[], detail: unknown][] = [
  ['two inbounds of one tag', [vless(T), vless(T)], startingWith('all inbounds must have a unique tag')],
  [
    'the tag of an ignored inbound',
    [vless(T), { tag: T, protocol: 'socks' }],
    startingWith('all inbounds must have a unique tag'),
  ],
  [
    'an inbound without a tag',
    [vless(T), vless('', { tag: undefined })],
    startingWith('all inbounds must have a unique tag'),
  ],
  ['an inbound without a protocol', [vless(T, { protocol: undefined })], someText],
  ['no port', [vless(T, { port: undefined })], startingWith(`${T} inbound doesn't have port`)],
  [
    'no port beside fallbacks of another',
    [withFallbacks('vless', '@nobody', { tag: 'parent' }), vless(T, { port: undefined })],
    startingWith(`${T} inbound doesn't have port`),
  ],
  ['vless decryption without encryption', [vless(T, { settings: { decryption: 'mlkem768.native' } })], someText],
  [
    'chacha20 of 2022',
    [shadowsocks({ method: '2022-blake3-chacha20-poly1305', password: KEY_256 })],
    startingWith('only 2022-blake3-aes-*-gcm methods are supported'),
  ],
  [
    'a 2022 password that is not base64',
    [shadowsocks({ method: '2022-blake3-aes-128-gcm', password: 'not base64!' })],
    startingWith('Shadowsocks password must be a valid base64 string'),
  ],
  [
    'no 2022 password',
    [shadowsocks({ method: '2022-blake3-aes-256-gcm' })],
    startingWith('Shadowsocks password must be a valid base64 string'),
  ],
  ['a certificate file without its key', [tls({ certificateFile: '/certificate.pem' })], someText],
  ['a certificate that is none at all', [tls({ key: ['key'] })], someText],
  [
    'reality without a private key',
    [reality({ privateKey: undefined })],
    startingWith('You need to provide privateKey in realitySettings'),
  ],
  [
    'reality with an empty private key',
    [reality({ privateKey: '' })],
    startingWith('You need to provide privateKey in realitySettings'),
  ],
  [
    'reality without short ids',
    [reality({ shortIds: undefined })],
    startingWith('You need to define at least one shortID in realitySettings'),
  ],
  [
    'reality with no short id',
    [reality({ shortIds: [] })],
    startingWith('You need to define at least one shortID in realitySettings'),
  ],
  ['reality without server names', [reality({ serverNames: undefined })], someText],
  [
    'a tcp path as a string',
    [stream(undefined, { tcpSettings: tcpRequest({ path: '/a' }) })],
    startingWith(`Settings of ${T} for path and host must be list, not str`),
  ],
  [
    'a tcp host as a string',
    [stream('tcp', { tcpSettings: tcpRequest({ path: ['/a'], headers }) })],
    startingWith(`Settings of ${T} for path and host must be list, not str`),
  ],
  [
    'a raw path as a string',
    [stream('raw', { rawSettings: tcpRequest({ path: '/a' }) })],
    startingWith(`Settings of ${T} for path and host must be list, not str`),
  ],
  [
    'a ws path as a list',
    [stream('ws', { wsSettings: { path: ['/ws'] } })],
    startingWith('Settings for path and host must be str, not list'),
  ],
  [
    'a ws host as a list',
    [stream('ws', { wsSettings: { path: '/ws', host: ['ws.example'] } })],
    startingWith('Settings for path and host must be str, not list'),
  ],
];

const refusedConfigs: readonly (readonly [title: string, config: unknown, detail: unknown])[] = [
  ['no inbounds', { outbounds: OUTBOUNDS }, startingWith("config doesn't have inbounds")],
  ['empty inbounds', configOf(), startingWith("config doesn't have inbounds")],
  ['no outbounds', { inbounds: [vless(T)] }, someText],
  ['empty outbounds', { inbounds: [vless(T)], outbounds: [] }, someText],
  ['an outbound without a tag', { inbounds: [vless(T)], outbounds: [{ protocol: 'freedom' }] }, someText],
  ['two outbounds of one tag', { inbounds: [vless(T)], outbounds: [...OUTBOUNDS, ...OUTBOUNDS] }, someText],
  ...refusedInbounds.map(([title, inbounds, detail]) => [title, configOf(...inbounds), detail] as const),
  ...['left,right', 'left<=>right', ',', '<=>'].map(
    (tag) =>
      [
        `the tag ${tag}`,
        configOf(vless(tag)),
        expect.stringMatching(new RegExp(`^character «,» is not allowed in inbound tag.*${tag}.*«,».*«<=>»`)),
      ] as const,
  ),
];

describe('validation of a config', () => {
  const created: Core[] = [];
  let standing: Core;
  const create = async (config: unknown): Promise<Core> => {
    const core = await environment.sudo.create<Core>('/api/core', { name: 'rules', config });
    created.push(core);
    return core;
  };

  beforeAll(async () => {
    standing = await createCore(vless('rule that stays'));
  });
  afterAll(() => deleteCore(standing));
  afterEach(async () => {
    for (const core of created.splice(0)) await deleteCore(core);
  });

  it.each(accepted)('a core with %s is accepted, and its known inbounds are offered', async (_title, inbounds) => {
    const core = await create(configOf(...inbounds));
    expect(core.config).toEqual(JSON.parse(JSON.stringify(configOf(...inbounds))));
    const offered = inbounds.filter(({ protocol }) => protocol !== 'socks' && protocol !== 'http');
    expect((await environment.sudo.get<string[]>('/api/inbounds')).filter((tag) => tag.startsWith(T))).toEqual(
      offered.map(({ tag }) => tag),
    );
  });

  it('a tag that only resembles the reserved sequence is accepted', async () => {
    await create(configOf(vless('left<= >right')));
    expect(await environment.sudo.get('/api/inbounds')).toContain('left<= >right');
  });

  it.each(refusedConfigs)(
    'a core with %s is refused, when creating and when modifying',
    async (_title, config, detail) => {
      const body = { name: 'refused', config };
      await expectRefused(
        [
          { method: 'POST', path: '/api/core', body },
          { method: 'PUT', path: `/api/core/${standing.id}`, body },
        ],
        400,
        detail,
        ['/api/cores', '/api/inbounds'],
      );
    },
  );

  it('certificate files are read only in their folder; all other paths get the same error', async () => {
    const [certificateFile, keyFile] = ['good.pem', 'good.key'].map((name) => join(environment.certificates, name));
    writeFileSync(certificateFile as string, certificate.join('\n'));
    writeFileSync(keyFile as string, 'key');
    await create(configOf(tls({ certificateFile, keyFile })));
    const answers = await Promise.all(
      ['/etc/hostname', '/nowhere/at.all', join(environment.certificates, '../management/secret')].map((file) =>
        environment.sudo.send('POST', '/api/core', {
          name: 'files',
          config: configOf(tls({ certificateFile: file, keyFile: file })),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });
});
