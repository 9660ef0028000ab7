import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { certificate } from './certificate.js';
import { type Core, createCore, deleteCore, realitySettings, vless } from './core-config.js';
import { environment } from './environment.js';
import { createGroup, createHost, createUser, type Group, type Host, type User } from './fixtures.js';
import { type Link, linksOf } from './links.js';

const WS = 'merge ws';
const REALITY = 'merge reality';
const XHTTP = 'merge xhttp';
const TCP = 'merge tcp';

const inbounds = [
  vless(WS, {
    port: 1001,
    streamSettings: {
      network: 'ws',
      security: 'tls',
      tlsSettings: { certificates: [{ certificate, key: ['key'] }] },
      wsSettings: { path: '/inbound', host: 'inbound.example' },
    },
  }),
  vless(REALITY, { streamSettings: { network: 'tcp', security: 'reality', realitySettings } }),
  vless(XHTTP, { streamSettings: { network: 'xhttp', xhttpSettings: { path: '/inbound', mode: 'stream-up' } } }),
  vless(TCP),
];

/** Values of a host, and the parts of the link that they determine: the port and parameters of the query. */
const merges: readonly (readonly [title: string, tag: string, rest: object, link: Record<string, unknown>])[] = [
  [
    'nothing of its own',
    WS,
    {},
    { port: 1001, type: 'ws', security: 'tls', path: '/inbound', host: 'inbound.example', alpn: '', ech: '' },
  ],
  ['a port', WS, { port: 8443 }, { port: 8443 }],
  ['sni', WS, { sni: ['own.example'] }, { sni: 'own.example', host: 'inbound.example' }],
  ['host', WS, { host: ['own.example'] }, { host: 'own.example' }],
  ['a path', WS, { path: '/own' }, { path: '/own' }],
  ['the variables of a path', WS, { path: '/{PROTOCOL}/{TRANSPORT}' }, { path: '/vless/ws' }],
  ['no security', WS, { security: 'none' }, { security: 'none', sni: '', path: '/inbound' }],
  ['the security of the inbound', WS, { security: 'inbound_default' }, { security: 'tls' }],
  ['a fingerprint', WS, { fingerprint: 'firefox' }, { fp: 'firefox' }],
  ['no fingerprint', WS, { fingerprint: 'none' }, { fp: '' }],
  ['alpn', WS, { alpn: ['http/1.1'] }, { alpn: 'http/1.1' }],
  ['an ECH configuration', WS, { ech_config_list: 'AEX+DQ==' }, { ech: 'AEX+DQ==' }],
  [
    'sni as host',
    WS,
    { sni: ['own.example'], host: ['lost.example'], use_sni_as_host: true },
    { sni: 'own.example', host: 'own.example' },
  ],
  [
    'sni not as host',
    WS,
    { sni: ['own.example'], host: ['kept.example'], use_sni_as_host: false },
    { sni: 'own.example', host: 'kept.example' },
  ],
  ['nothing over reality', REALITY, {}, { port: 443, security: 'reality', fp: 'chrome', sni: 'reality.example' }],
  ['no fingerprint over reality', REALITY, { fingerprint: 'none' }, { fp: 'chrome' }],
  ['a fingerprint over reality', REALITY, { fingerprint: 'safari' }, { fp: 'safari' }],
  ['security reality', REALITY, { security: 'reality' }, { security: 'reality' }],
  ['sni over reality', REALITY, { sni: ['own.example'] }, { security: 'reality', sni: 'own.example' }],
  ['nothing over xhttp', XHTTP, {}, { type: 'xhttp', path: '/inbound', mode: 'stream-up', security: 'none' }],
  ['an xhttp mode', XHTTP, { transport_settings: { xhttp_settings: { mode: 'packet-up' } } }, { mode: 'packet-up' }],
  ['TLS over nothing', TCP, { security: 'tls', sni: ['own.example'] }, { security: 'tls', sni: 'own.example' }],
  ['two alpn', TCP, { security: 'tls', sni: ['own.example'], alpn: ['http/1.1', 'h2'] }, { alpn: 'h2,http/1.1' }],
];

describe('a host over its inbound', () => {
  let core: Core;
  let group: Group;
  let hosts: Host[];
  let user: User;
  let links: Map<string, Link>;

  beforeAll(async () => {
    core = await createCore(...inbounds);
    group = await createGroup(WS, REALITY, XHTTP, TCP);
    hosts = await Promise.all(
      merges.map(([remark, tag, rest], priority) => createHost(tag, { remark, priority, ...rest })),
    );
    user = await createUser([group]);
    links = new Map((await linksOf(user)).map((link) => [link.remark, link]));
  });
  afterAll(async () => {
    await environment.sudo.remove(`/api/user/${user.username}`);
    await Promise.all(hosts.map(({ id }) => environment.sudo.remove(`/api/host/${id}`)));
    await environment.sudo.remove(`/api/group/${group.id}`);
    await deleteCore(core);
  });

  it.each(merges)('a link merges host and inbound: %s', (title, _tag, _rest, expected) => {
    const link = links.get(title);
    if (link === undefined) throw new Error(`no link of the host with ${title}`);
    const said: Record<string, unknown> = { port: link.port, ...link.query };
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, said[name] ?? '']))).toEqual(expected);
  });

  it('hosts are listed in the order of priority', () => {
    expect([...links.keys()]).toEqual(merges.map(([title]) => title));
  });
});
