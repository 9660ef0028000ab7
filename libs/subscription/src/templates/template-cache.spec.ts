import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '@rampart/core-config';
import fc from 'fast-check';
import { compileHosts } from '../compile/compile-hosts.js';
import { renderProxies, SUBSCRIPTION_FORMATS, writerOf } from '../formats/subscription-format.js';
import type { Host } from '../model/host.js';
import type { ProxyRequest } from '../model/selected-proxy.js';
import { resolveProxy } from '../resolve/resolve-proxy.js';
import { selectProxies } from '../resolve/select-proxies.js';
import { host } from '../testing/host.js';
import { CREDENTIALS } from '../testing/user.js';
import type { RenderedDocument } from '../writer/format-writer.js';
import { renderSelected } from './render-selected.js';
import { TemplateCache } from './template-cache.js';

const reality = {
  security: 'reality',
  realitySettings: {
    privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
    shortIds: ['aa', 'bb'],
    serverNames: ['r.example', 's.example'],
    target: 443,
  },
};
const ws = { network: 'ws', wsSettings: { path: '/w?ed=2048' } };
const xhttp = { network: 'xhttp', xhttpSettings: { path: '/x', mode: 'stream-up' } };
const INBOUNDS = {
  'vless reality': { protocol: 'vless', port: 443, streamSettings: reality },
  'vless ws': { protocol: 'vless', port: '80,1000-1002', streamSettings: ws },
  'vless xhttp': { protocol: 'vless', port: 443, streamSettings: xhttp },
  'vless grpc': {
    protocol: 'vless',
    port: 443,
    streamSettings: { network: 'grpc', grpcSettings: { serviceName: 's' } },
  },
  'vmess ws': { protocol: 'vmess', port: 443, streamSettings: ws },
  'trojan ws': { protocol: 'trojan', port: 443, streamSettings: { network: 'ws' } },
  'ss ws': { protocol: 'shadowsocks', port: 443, streamSettings: ws },
  ss: { protocol: 'shadowsocks', port: 443 },
  ss2022: {
    protocol: 'shadowsocks',
    port: 443,
    settings: { method: '2022-blake3-aes-128-gcm', password: 'AAECAwQFBgcICQoLDA0ODw==' },
  },
};
const CORE = parseCoreConfig({
  inbounds: Object.entries(INBOUNDS).map(([tag, inbound]) => ({ tag, ...inbound })),
  outbounds: [{ tag: 'direct', protocol: 'freedom' }],
});
const INBOUNDS_BY_TAG = new Map(CORE.inbounds.map((inbound) => [inbound.tag, inbound]));

const names = (...values: string[]) => fc.subarray(values, { minLength: 1 });
const hosts: fc.Arbitrary<Host[]> = fc.array(
  fc
    .record<Partial<Host>>({
      remark: fc.constantFrom('{USERNAME}', 'twin', 'auto', 'آلمان {USERNAME}', 'Proxy'),
      inboundTag: fc.constantFrom(...Object.keys(INBOUNDS)),
      address: names('a.example', '*.example', '2001:db8::1', '{USERNAME}.example', '*'),
      sni: names('s.example', '*.example', '*.s.example'),
      host: names('h.example', '*.example', '*'),
      path: fc.constantFrom(null, '/{USERNAME}', '/own?ed={USERNAME}', '/own?ed=5'),
      security: fc.constantFrom('inbound_default', 'tls', 'none'),
      useSniAsHost: fc.boolean(),
      randomUserAgent: fc.boolean(),
    })
    .map(host),
  { minLength: 1, maxLength: 8 },
);
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '%41', 'a"b\\c', 'ü@:/?#', 'ali', 'Tun', '2048'),
);
const users = fc.record({
  name: text,
  password: text,
  flow: fc.constantFrom('', 'xtls-rprx-vision'),
  method: fc.constantFrom('aes-128-gcm', 'xchacha20-poly1305'),
});

/** The document with its body as a text: comparing buffers byte by byte takes a hundred times as long. */
const textOf = ({ body, leftOut }: RenderedDocument) => ({ body: body.toString(), leftOut });

/** Pseudo-random numbers: the same seed gives the same ones. */
function seeded(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * max);
  };
}

describe.each(SUBSCRIPTION_FORMATS)('a document of %s that is rendered from templates', (format) => {
  it('a document that is rendered from templates equals the document without templates for every user, however often templates are used', () => {
    fc.assert(
      fc.property(hosts, fc.array(users, { minLength: 2, maxLength: 4 }), fc.nat(), (list, some, seed) => {
        const compiled = compileHosts(
          list.map((one, index) => ({ ...one, id: index + 1 })),
          INBOUNDS_BY_TAG,
        );
        const templates = new TemplateCache();
        const random = seeded(seed);
        for (const user of [...some, ...some]) {
          const selected = selectProxies(compiled, requestOf(user, random));
          const expected = renderProxies(format, selected.map(resolveProxy), '1.12.0');
          expect(textOf(renderSelected(writerOf(format, '1.12.0'), selected, templates))).toEqual(textOf(expected));
        }
      }),
    );
  });
});

type ValueOf<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;

function requestOf(
  { name, password, flow, method }: ValueOf<typeof users>,
  random: ProxyRequest['random'],
): ProxyRequest {
  const proxySettings = {
    vmess: { id: password },
    vless: { id: password, flow },
    trojan: { password },
    shadowsocks: { password, method },
  };
  return {
    user: { status: 'active', proxySettings },
    inboundTags: new Set(INBOUNDS_BY_TAG.keys()),
    values: { USERNAME: name },
    random,
  };
}

describe(TemplateCache.name, () => {
  const request = (change: Partial<ProxyRequest> = {}): ProxyRequest => ({
    user: { status: 'active', proxySettings: CREDENTIALS },
    inboundTags: new Set(INBOUNDS_BY_TAG.keys()),
    values: { USERNAME: 'ali' },
    random: () => 0,
    ...change,
  });
  const hasTemplate = (change: Partial<Host>) => {
    const compiled = compileHosts([host({ inboundTag: 'vless ws', ...change })], INBOUNDS_BY_TAG);
    const [one] = selectProxies(compiled, request());
    return one && new TemplateCache().findTemplate(() => undefined, one) === null;
  };

  it.each<[boolean, Partial<Host>]>([
    [true, {}],
    [true, { remark: '{USERNAME}', sni: ['*.example'], randomUserAgent: true }],
    [false, { address: ['{USERNAME}.example'] }],
    [true, { path: '/{USERNAME}' }],
    [false, { path: '/{USERNAME}', inboundTag: 'vless grpc' }],
    [false, { sni: Array.from({ length: 65 }, (_, at) => `${at}.example`) }],
    [false, { inboundTag: 'vless xhttp', transportSettings: { xhttp_settings: { download_settings: 2 } } }],
  ])('returns %p when asked for a template of a host with %j', (expected, change) => {
    expect(hasTemplate(change)).toBe(expected);
  });
});
