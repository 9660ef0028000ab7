import type { RenderedSubscription } from '../rendered.js';
import type { ResolvedProxy } from '../resolved-proxy.js';
import { renamed } from '../unique-names.js';
import { type SingBoxAbilities, singBoxAbilities } from './sing-box-abilities.js';
import { singBoxOutbound } from './sing-box-outbound.js';

const SELECTOR = 'proxy';
const FASTEST = 'auto';
const OWN_TAGS = [SELECTOR, FASTEST, 'direct', 'block'];

/**
 * A profile for sing-box, complete: it tunnels the device, looks names up through the proxy, and lets the user choose.
 *
 * @param version of the client, such as `1.11.15`; undefined = a current one
 */
export function renderSingBox(proxies: readonly ResolvedProxy[], version?: string): RenderedSubscription {
  const abilities = singBoxAbilities(version);
  const outbounds: object[] = [];
  const tags: string[] = [];
  for (const proxy of renamed(proxies, OWN_TAGS)) {
    const outbound = singBoxOutbound(proxy, abilities);
    if (outbound === undefined) continue;
    outbounds.push(outbound);
    tags.push(proxy.name);
  }
  return { body: JSON.stringify(profile(outbounds, tags, abilities)), leftOut: proxies.length - outbounds.length };
}

function profile(outbounds: readonly object[], tags: readonly string[], { typedDns }: SingBoxAbilities): object {
  return {
    log: { level: 'warn' },
    dns: typedDns ? DNS : DNS_1_11,
    inbounds: [
      {
        type: 'tun',
        tag: 'tun',
        address: ['172.19.0.1/30', 'fdfe:dcba:9876::1/126'],
        auto_route: true,
        strict_route: true,
      },
      { type: 'mixed', tag: 'mixed', listen: '127.0.0.1', listen_port: 2080 },
    ],
    outbounds: [...groups(tags), ...outbounds, { type: 'direct', tag: 'direct' }],
    route: {
      rules: [
        { action: 'sniff' },
        { protocol: 'dns', action: 'hijack-dns' },
        { ip_is_private: true, outbound: 'direct' },
      ],
      final: SELECTOR,
      auto_detect_interface: true,
      ...(typedDns && { default_domain_resolver: 'local' }),
    },
  };
}

/** A group needs members, and whoever has no proxy must not connect without one unawares. */
function groups(tags: readonly string[]): object[] {
  if (tags.length === 0) {
    return [
      { type: 'selector', tag: SELECTOR, outbounds: ['block'] },
      { type: 'block', tag: 'block' },
    ];
  }
  return [
    { type: 'selector', tag: SELECTOR, outbounds: [FASTEST, ...tags] },
    { type: 'urltest', tag: FASTEST, outbounds: tags },
  ];
}

const DNS = {
  servers: [
    { type: 'https', tag: 'remote', server: '1.1.1.1', detour: SELECTOR },
    { type: 'local', tag: 'local' },
  ],
  final: 'remote',
};

/** Up to 1.11, where the names of the proxies themselves need a rule. */
const DNS_1_11 = {
  servers: [
    { tag: 'remote', address: 'https://1.1.1.1/dns-query', detour: SELECTOR },
    { tag: 'local', address: 'local', detour: 'direct' },
  ],
  rules: [{ outbound: 'any', server: 'local' }],
  final: 'remote',
};
