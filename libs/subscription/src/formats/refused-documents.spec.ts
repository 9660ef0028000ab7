import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { ResolvedProxy } from '../model/resolved-proxy.js';
import { uniqueNames } from '../model/unique-names.js';
import { anyProxies } from '../testing/any-proxy.js';
import { proxy, reality, SHADOWSOCKS, TROJAN, tls, transport, VLESS, VMESS } from '../testing/proxy.js';
import { renderText } from '../testing/render-text.js';
import type { SubscriptionFormat } from './subscription-format.js';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

type Json = Readonly<Record<string, unknown>>;
type Named = Json & { readonly name: string };
interface SingBox {
  readonly outbounds: readonly (Json & { readonly tag: string; readonly type: string })[];
}
interface Clash {
  readonly proxies: readonly Named[];
  readonly 'proxy-groups': readonly (Named & { readonly proxies: readonly string[] })[];
}
interface XrayOutbound extends Json {
  readonly tag: string;
  readonly protocol: string;
  readonly settings: { readonly vnext?: readonly Server[]; readonly servers?: readonly Server[] };
}
interface Server {
  readonly address: unknown;
  readonly port: unknown;
  readonly users?: readonly Json[];
}

/** Documents of any number of proxies of every kind, with unique names. */
function everyDocument(format: SubscriptionFormat, look: (body: string) => void, version?: string): void {
  const named = anyProxies.map((proxies): ResolvedProxy[] => {
    const nameOf = uniqueNames();
    return proxies.map((each) => ({ ...each, name: nameOf(each.name) }));
  });
  fc.assert(fc.property(named, (proxies) => look(renderText(format, proxies, version).body)));
}

const without = (names: readonly string[], known: readonly string[]) => names.filter((name) => !known.includes(name));
const twice = (names: readonly string[]) => names.filter((name, at) => names.indexOf(name) !== at);
const isPort = (port: unknown) => Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536;

/** Documents that clients refuse, by their numbers in the client matrix (§2). */
describe('a document never has', () => {
  it.each(['1.14.1', '1.11.15'])(
    'anything that sing-box %s refuses or crashes on when it starts (clients.md 31)',
    (version) => {
      const look = (body: string) => {
        const { outbounds }: SingBox = JSON.parse(body);
        const tags = outbounds.map(({ tag }) => tag);
        expect(twice(tags)).toEqual([]);
        for (const { type, outbounds: members, server, server_port, uuid } of outbounds) {
          if (type === 'direct' || type === 'block') continue;
          if (Array.isArray(members)) {
            expect(members.length).toBeGreaterThan(0);
            expect(without(members, tags)).toEqual([]);
          } else {
            expect([server, isPort(server_port)]).toEqual(['a.example', true]);
            if (type === 'vless' || type === 'vmess') expect(uuid).toMatch(UUID);
          }
        }
      };
      everyDocument('sing_box', look, version);
    },
  );

  it.each([
    ['1.14.1', /"(address":"(https|local)|sniff":|type":"dns")/],
    ['1.12.0', /"(address":"(https|local)|sniff":|type":"dns")/],
    ['1.11.15', /"(default_domain_resolver|type":"(https|local))"|certificate_public_key_sha256|fragment/],
  ])('options that sing-box %s no longer has or does not have yet (clients.md 32)', (version, forms) => {
    const demanding = proxy({
      security: tls({ allowInsecure: true, pinnedPublicKeys: ['a='] }),
      fragment: { sing_box: { fragment: true, record_fragment: true } },
    });
    for (const proxies of [[], [demanding]]) {
      expect(renderText('sing_box', proxies, version).body).not.toMatch(forms);
    }
  });

  it.each(['clash_meta', 'clash'] as const)(
    'anything in %s that mihomo refuses or misreads (clients.md 33)',
    (format) => {
      const NETWORKS = [undefined, 'ws', 'http', 'grpc', 'xhttp', 'mkcp'];
      everyDocument(format, (body) => {
        const { proxies, 'proxy-groups': groups }: Clash = parse(body);
        const names = [...proxies, ...groups].map(({ name }) => name);
        expect(twice(names)).toEqual([]);
        for (const group of groups) {
          expect(group.proxies.length).toBeGreaterThan(0);
          expect(without(group.proxies, [...names, 'REJECT'])).toEqual([]);
        }
        for (const { server, port, network, uuid, alterId, tls: isTls, ...rest } of proxies) {
          expect([server, isPort(port), without([String(network)], NETWORKS.map(String))]).toEqual([
            'a.example',
            true,
            [],
          ]);
          if (uuid !== undefined) expect(uuid).toMatch(UUID);
          if ('reality-opts' in rest) expect([isTls, typeof rest['client-fingerprint']]).toEqual([true, 'string']);
          expect(alterId ?? 0).toBe(0);
        }
      });
    },
  );

  it('anything that Xray refuses (clients.md 35)', () => {
    everyDocument('xray', (body) => {
      const configs: readonly { readonly outbounds: readonly XrayOutbound[] }[] = JSON.parse(body);
      for (const { outbounds } of configs) {
        const tags = outbounds.map(({ tag }) => tag);
        expect(twice(tags)).toEqual([]);
        for (const { protocol, settings } of outbounds) {
          for (const { address, port, users = [] } of [...(settings.vnext ?? []), ...(settings.servers ?? [])]) {
            expect([address, isPort(port)]).toEqual(['a.example', true]);
            for (const { id, encryption = '' } of users) {
              expect(id).toMatch(UUID);
              if (protocol === 'vless') expect(encryption).not.toBe('');
            }
          }
        }
      }
    });
  });

  it('fragment settings without an interval, noise in the old form, or a missing dialer (clients.md 12)', () => {
    const change = { fragment: { xray: {} }, noises: [{ type: 'rand', packet: '1-2' }] };
    const { body } = renderText('xray', [proxy(change)]);
    const [{ outbounds }] = JSON.parse(body);
    expect(outbounds[0].streamSettings.sockopt).toEqual({ dialerProxy: outbounds[1].tag });
    expect(outbounds[1].settings).toEqual({
      fragment: { packets: 'tlshello', length: '100-200', interval: '10-20' },
      noises: [{ type: 'rand', packet: '1-2', delay: '10-16' }],
    });
  });

  it('allowInsecure for an Xray client, in its own format or in links (clients.md 1)', () => {
    const security = tls({ allowInsecure: true, pinnedCertificates: ['aa'] });
    const proxies = [VLESS, VMESS, TROJAN, SHADOWSOCKS].map((protocol) =>
      proxy({ protocol, security, transport: transport('ws') }),
    );
    for (const format of ['xray', 'links'] as const) {
      for (const each of proxies) {
        const { body } = renderText(format, [each]);
        const plain = body.startsWith('vmess://') ? Buffer.from(body.slice(8), 'base64').toString() : body;
        expect(plain).not.toMatch(/insecure/i);
        expect(plain).toMatch(/pcs=aa|"pcs":"aa"|"pinnedPeerCertSha256":"aa"/);
      }
    }
  });

  it('a fingerprint that the client does not know (clients.md 17)', () => {
    const written = (format: SubscriptionFormat, security: ResolvedProxy['security']) =>
      renderText(format, [proxy({ security })]);
    for (const fingerprint of ['unsafe', 'randomizednoalpn', 'hellochrome_120']) {
      expect(written('sing_box', tls({ fingerprint })).body).not.toContain('utls');
      expect(written('sing_box', reality({ fingerprint })).leftOut).toBe(1);
      expect(written('clash_meta', reality({ fingerprint })).leftOut).toBe(1);
    }
    for (const format of ['xray', 'links', 'sing_box', 'clash_meta'] as const) {
      expect(written(format, tls({ fingerprint: '' })).body).not.toMatch(/fingerprint|fp=/);
    }
  });

  it('multiplexing that the host does not enable for the client (clients.md 10)', () => {
    const mux = { xray: { concurrency: 8 }, sing_box: { protocol: 'smux' }, clash: { protocol: 'smux' } };
    for (const format of ['xray', 'sing_box', 'clash_meta'] as const) {
      expect(renderText(format, [proxy({ mux })]).body).not.toMatch(/"(mux|multiplex|smux)"/);
    }
  });
});
