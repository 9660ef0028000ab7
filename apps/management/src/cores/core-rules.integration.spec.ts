import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestManagement } from '../testing/test-management.js';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

const outbounds = [{ tag: 'direct', protocol: 'freedom' }];
const vless = (more: object = {}) => ({ tag: 'a', protocol: 'vless', port: 443, ...more });
const config = (...inbounds: object[]) => ({ inbounds, outbounds });
const network = (streamSettings: object) => config(vless({ streamSettings }));
const shadowsocks = (settings: object) => config({ tag: 'a', protocol: 'shadowsocks', port: 443, settings });
const PRIVATE_KEY = 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8';
const reality = (realitySettings: object) => network({ security: 'reality', realitySettings });
const tls = (certificate: object) => network({ security: 'tls', tlsSettings: { certificates: [certificate] } });
const http = (request: object) => network({ tcpSettings: { header: { type: 'http', request } } });
const LISTS = 'Settings of a for path and host must be list, not str';
const STRINGS = 'Settings for path and host must be str, not list (inbound a)';
const noComma = (tag: string) =>
  `character «,» is not allowed in inbound tag: ${tag} (neither «,» nor «<=>» may stand in a tag)`;

describe('the rules of a core configuration', () => {
  it.each<[string, unknown, string]>([
    ['no inbounds', { outbounds }, "config doesn't have inbounds"],
    ['empty inbounds', config(), "config doesn't have inbounds"],
    ['no outbounds', { inbounds: [vless()] }, "config doesn't have outbounds"],
    ['duplicate inbound tags', config(vless(), vless()), 'all inbounds must have a unique tag: a stands twice'],
    ['no inbound tag', config({ protocol: 'vless', port: 443 }), 'all inbounds must have a unique tag'],
    [
      'duplicate outbound tags',
      { inbounds: [vless()], outbounds: [...outbounds, ...outbounds] },
      'all outbounds must have a unique tag: direct stands twice',
    ],
    ['a comma in a tag', config(vless({ tag: 'a,b' })), noComma('a,b')],
    ['<=> in a tag', config(vless({ tag: 'a<=>b' })), noComma('a<=>b')],
    ['no port', config({ tag: 'a', protocol: 'vmess' }), "a inbound doesn't have port"],
    ['no protocol', config({ tag: 'a', port: 443 }), "a inbound doesn't have protocol"],
    [
      'decryption without encryption',
      config(vless({ settings: { decryption: 'mlkem768x25519plus.native.600s.x' } })),
      "'encryption' key must be provided in a inbound",
    ],
    [
      'an unsupported shadowsocks method',
      shadowsocks({ method: '2022-blake3-chacha20-poly1305', password: 'AAAA' }),
      'only 2022-blake3-aes-*-gcm methods are supported (inbound a)',
    ],
    [
      'a shadowsocks password that is not base64',
      shadowsocks({ method: '2022-blake3-aes-128-gcm', password: 'no base64!' }),
      'Shadowsocks password must be a valid base64 string (inbound a)',
    ],
    [
      'a certificate file without its key',
      tls({ certificateFile: 'c.pem' }),
      "a inbound doesn't have keyFile in tlsSettings",
    ],
    [
      'reality without a private key',
      reality({ shortIds: [''], serverNames: ['r.example'] }),
      'You need to provide privateKey in realitySettings of a',
    ],
    [
      'reality without short ids',
      reality({ privateKey: PRIVATE_KEY, serverNames: ['r.example'] }),
      'You need to define at least one shortID in realitySettings of a',
    ],
    [
      'reality with an empty list of short ids',
      reality({ privateKey: PRIVATE_KEY, shortIds: [], serverNames: ['r.example'] }),
      'You need to define at least one shortID in realitySettings of a',
    ],
    [
      'reality without server names',
      reality({ privateKey: PRIVATE_KEY, shortIds: [''] }),
      'You need to provide serverNames in realitySettings of a',
    ],
    ['a tcp path as a string', http({ path: '/' }), LISTS],
    ['a tcp host as a string', http({ headers: { Host: 'h.example' } }), LISTS],
    ['a ws path as a list', network({ network: 'ws', wsSettings: { path: ['/'] } }), STRINGS],
    ['a ws host as a list', network({ network: 'ws', wsSettings: { host: ['h.example'] } }), STRINGS],
  ])('refuse %s, in a new and in a changed core', async (_, refused, detail) => {
    const body = { name: 'refused', config: refused };
    const cores = await management.call('GET', '/api/cores');
    const answer = { status: 400, body: { detail, code: 'CORE_REFUSED' } };
    expect(await management.call('POST', '/api/core', body)).toEqual(answer);
    expect(await management.call('PUT', '/api/core/1?restart_nodes=true', body)).toEqual(answer);
    expect(await management.call('GET', '/api/cores')).toEqual(cores);
  });

  it.each<[string, object]>([
    ['a path and a host of tcp in lists', http({ path: ['/'], headers: { Host: ['h.example'] } })],
    [
      'an empty short id',
      reality({ privateKey: PRIVATE_KEY, shortIds: [''], serverNames: ['r.example'], target: 443 }),
    ],
    ['no port on a unix socket', config({ tag: 'a', protocol: 'vless', listen: '@a' })],
    [
      'no port with fallbacks of its own',
      config({ tag: 'a', protocol: 'vless', settings: { fallbacks: [{ dest: 80 }] } }),
    ],
    ['other protocols without a port', config(vless(), { tag: 'b', protocol: 'socks' })],
    ['a shadowsocks inbound without a method', shadowsocks({ clients: [] })],
    ['the longest name', config(vless())],
  ])('accept %s', async (_, accepted) => {
    const name = 'x'.repeat(256);
    const created = await management.call('POST', '/api/core', { name, config: accepted });
    expect(created).toMatchObject({ status: 201, body: { name, config: accepted } });
  });
});
