import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { certificate } from './certificate.js';
import {
  type Core,
  configOf,
  createCore,
  deleteCore,
  type Inbound,
  REALITY_KEYS,
  realitySettings,
  vless,
} from './core-config.js';
import { environment } from './environment.js';
import { createGroup, createHost, createUser, type Group, type Host, type User } from './fixtures.js';
import { type Link, linksOf } from './links.js';

const SERVER_KEY = Buffer.alloc(16, 7).toString('base64');
const encryption = 'mlkem768x25519plus.native.0rtt.key';
const over = (network: string, settings: Record<string, unknown>): Record<string, unknown> => ({
  streamSettings: { network, ...settings },
});
const reality = (rest: object) =>
  over('raw', { security: 'reality', realitySettings: { ...realitySettings, ...rest } });
const httpHeader = {
  tcpSettings: { header: { type: 'http', request: { path: ['/first', '/second'], headers: { Host: ['h.example'] } } } },
};

/** The parameters of the link of each inbound; an empty text means that the parameter is empty or absent. */
const carried: readonly (readonly [tag: string, rest: Record<string, unknown>, query: Record<string, string>])[] = [
  [
    'no streamSettings',
    {},
    { type: 'tcp', security: 'none', sni: '', host: '', path: '', flow: '', encryption: 'none' },
  ],
  ['encryption', { settings: { decryption: 'mlkem768x25519plus.native.600s.key', encryption } }, { encryption }],
  [
    'certificate',
    over('ws', { security: 'tls', tlsSettings: { certificates: [{ certificate, key: ['key'] }] } }),
    { security: 'tls', type: 'ws' },
  ],
  [
    'reality',
    reality({}),
    {
      security: 'reality',
      fp: 'chrome',
      sni: 'reality.example',
      pbk: REALITY_KEYS.publicKey,
      sid: '0123abcd',
      spx: '',
      pqv: '',
      type: 'tcp',
    },
  ],
  [
    'reality with options',
    reality({ shortIds: [''], SpiderX: '/spider', mldsa65Verify: 'AAAA' }),
    { sid: '', spx: '/spider', pqv: 'AAAA' },
  ],
  ['tcp', over('tcp', httpHeader), { type: 'tcp', headerType: 'http', path: '/first', host: 'h.example' }],
  [
    'raw',
    over('raw', { rawSettings: httpHeader.tcpSettings }),
    { type: 'tcp', headerType: 'http', path: '/first', host: 'h.example' },
  ],
  [
    'ws',
    over('ws', { wsSettings: { path: '/ws', host: 'ws.example' } }),
    { type: 'ws', path: '/ws', host: 'ws.example', headerType: '' },
  ],
  [
    'ws header',
    over('ws', { wsSettings: { path: '/ws', headers: { Host: 'header.example' } } }),
    { host: 'header.example' },
  ],
  [
    'grpc',
    over('grpc', { grpcSettings: { serviceName: 'service', authority: 'grpc.example' } }),
    { type: 'grpc', serviceName: 'service', authority: 'grpc.example' },
  ],
  ['gun', over('gun', { grpcSettings: { serviceName: 'old' } }), { type: 'grpc', serviceName: 'old', authority: '' }],
  [
    'httpupgrade',
    over('httpupgrade', { httpupgradeSettings: { path: '/up', host: 'up.example' } }),
    { type: 'httpupgrade', path: '/up', host: 'up.example' },
  ],
  [
    'xhttp',
    over('xhttp', { xhttpSettings: { path: '/x', host: 'x.example', mode: 'packet-up' } }),
    { type: 'xhttp', path: '/x', host: 'x.example', mode: 'packet-up' },
  ],
  [
    'splithttp',
    over('splithttp', { splithttpSettings: { path: '/split', host: 'split.example' } }),
    { type: 'xhttp', path: '/split', host: 'split.example', mode: 'auto' },
  ],
  ['kcp', over('kcp', { kcpSettings: { mtu: 1350 } }), { type: 'kcp', path: '', host: '' }],
];

/** Inbounds with transports that the engine has removed: they are saved, and left out of subscriptions. */
const leftOut: readonly Inbound[] = [
  vless('quic', over('quic', { quicSettings: { key: 'key' } })),
  vless('kcp seed', over('kcp', { kcpSettings: { seed: 'seed' } })),
  vless('http', over('http', { httpSettings: { path: '/', host: ['h.example'] } })),
  vless('h2', over('h2', { httpSettings: { path: '/', host: ['h.example'] } })),
  vless('h3', over('h3', { httpSettings: { path: '/', host: ['h.example'] } })),
];

const others: readonly Inbound[] = [
  vless('vmess', { protocol: 'vmess', settings: {} }),
  vless('trojan', { protocol: 'trojan', settings: {} }),
  vless('shadowsocks', { protocol: 'shadowsocks', settings: {} }),
  vless('shadowsocks 2022', {
    protocol: 'shadowsocks',
    settings: { method: '2022-blake3-aes-128-gcm', password: SERVER_KEY },
  }),
  vless('one port', { port: 8080 }),
  vless('list', { port: '9001,9002' }),
  vless('range', { port: '7000-7001' }),
];

describe('defaults of an inbound, as links tell them', () => {
  let core: Core;
  let group: Group;
  let hosts: Host[];
  let user: User;
  let links: Map<string, Link>;
  const linkOf = (tag: string): Link => {
    const link = links.get(tag);
    if (link === undefined) throw new Error(`no link of ${tag}`);
    return link;
  };

  beforeAll(async () => {
    const inbounds = [...carried.map(([tag, rest]) => vless(tag, rest)), ...leftOut, ...others];
    core = await createCore(...inbounds);
    const tags = inbounds.map(({ tag }) => tag as string);
    group = await createGroup(...tags);
    hosts = await Promise.all(tags.map((tag) => createHost(tag, { remark: tag })));
    user = await createUser([group]);
    links = new Map((await linksOf(user)).map((link) => [link.remark, link]));
  });
  afterAll(async () => {
    await environment.sudo.remove(`/api/user/${user.username}`);
    await Promise.all(hosts.map(({ id }) => environment.sudo.remove(`/api/host/${id}`)));
    await environment.sudo.remove(`/api/group/${group.id}`);
    await deleteCore(core);
  });

  it.each(carried)('the link of an inbound has its defaults: %s', (tag, _rest, query) => {
    const link = linkOf(tag);
    expect(link).toMatchObject({ scheme: 'vless', address: 'host.example', port: 443 });
    expect(link.credentials).toBe(user.proxy_settings.vless.id);
    const said = Object.keys(query).map((name) => [name, link.query[name] ?? '']);
    expect(Object.fromEntries(said)).toEqual(query);
  });

  it('the sni of a link comes from the certificate', () => {
    expect(['one.example', 'two.example']).toContain(linkOf('certificate').query['sni']);
  });

  it.each(leftOut.map(({ tag }) => tag as string))('subscriptions leave out %s', (tag) => {
    expect([...links.keys()]).not.toContain(tag);
  });

  it("links have the user's credentials of each protocol", () => {
    const { vmess, trojan, shadowsocks } = user.proxy_settings;
    expect(linkOf('vmess')).toMatchObject({ scheme: 'vmess', credentials: vmess.id, port: 443 });
    expect(linkOf('trojan')).toMatchObject({ scheme: 'trojan', credentials: encodeURIComponent(trojan.password) });
    const plain = `${shadowsocks.method}:${shadowsocks.password}`;
    expect(linkOf('shadowsocks')).toMatchObject({
      scheme: 'ss',
      credentials: Buffer.from(plain).toString('base64url'),
    });
    const [method, serverKey, userKey] = decodeURIComponent(linkOf('shadowsocks 2022').credentials).split(':');
    expect([method, serverKey]).toEqual(['2022-blake3-aes-128-gcm', SERVER_KEY]);
    expect(Buffer.from(userKey as string, 'base64')).toHaveLength(16);
  });

  it.each([
    ['one port', [8080]],
    ['list', [9001, 9002]],
    ['range', [7000, 7001]],
  ])('a link has the port of the inbound: %s', (tag, ports) => {
    expect(ports).toContain(linkOf(tag).port);
  });
});

describe('tags of several cores', () => {
  const offered = () => environment.sudo.get<string[]>('/api/inbounds');
  const create = (rest: object): Promise<Core> => environment.sudo.create('/api/core', { name: 'tags', ...rest });

  it('the tags of several cores are listed once each, without the excluded ones', async () => {
    const before = await offered();
    const cores = [
      await create({
        config: configOf(vless('both'), vless('first'), vless('hidden')),
        exclude_inbound_tags: ['hidden'],
      }),
      await create({ config: configOf(vless('both'), vless('second')) }),
    ];
    expect((await offered()).toSorted()).toEqual([...before, 'both', 'first', 'second'].toSorted());
    for (const core of cores) await deleteCore(core);
    expect(await offered()).toEqual(before);
  });

  it('a tag in two cores means the inbound of the later core', async () => {
    const cores = [
      await create({ config: configOf(vless('both', { port: 1111 })) }),
      await create({ config: configOf(vless('both', { port: 2222 })) }),
    ];
    const group = await createGroup('both');
    const host = await createHost('both');
    const user = await createUser([group]);
    expect(await linksOf(user)).toMatchObject([{ port: 2222 }]);
    await deleteCore(cores[1] as Core);
    expect(await linksOf(user)).toMatchObject([{ port: 1111 }]);
    await environment.sudo.remove(`/api/user/${user.username}`);
    await environment.sudo.remove(`/api/host/${host.id}`);
    await environment.sudo.remove(`/api/group/${group.id}`);
    await deleteCore(cores[0] as Core);
  });

  it('the children of a fallback are also offered under their parent, with its port and security', async () => {
    const before = await offered();
    const parent = vless('parent', {
      port: 4433,
      settings: { decryption: 'none', fallbacks: [{ dest: '@child' }] },
      ...reality({}),
    });
    const child = vless('child', { port: undefined, listen: '@child', ...over('ws', { wsSettings: { path: '/c' } }) });
    const core = await create({ config: configOf(parent, child), fallbacks_inbound_tags: ['parent'] });
    expect((await offered()).toSorted()).toEqual([...before, 'child', 'child<=>parent'].toSorted());

    const group = await createGroup('child<=>parent');
    const host = await createHost('child<=>parent', { remark: 'through the parent' });
    const user = await createUser([group]);
    const links = await linksOf(user);
    await environment.sudo.remove(`/api/user/${user.username}`);
    await environment.sudo.remove(`/api/host/${host.id}`);
    await environment.sudo.remove(`/api/group/${group.id}`);
    await deleteCore(core);
    expect(links).toMatchObject([
      {
        remark: 'through the parent',
        port: 4433,
        query: { type: 'ws', path: '/c', security: 'reality', sni: 'reality.example' },
      },
    ]);
  });
});
