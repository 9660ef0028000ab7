import type { RenderedSubscription } from '../rendered.js';
import type { ResolvedProxy } from '../resolved-proxy.js';
import { renamed } from '../unique-names.js';
import { clashProxy } from './clash-proxy.js';
import { metaProxy } from './meta-proxy.js';
import { yamlFlow } from './yaml.js';

const SELECTOR = 'Proxy';
const FASTEST = 'Auto';
/** Names that Clash has itself, and our own groups. */
const RESERVED = [SELECTOR, FASTEST, 'DIRECT', 'REJECT', 'REJECT-DROP', 'PASS', 'COMPATIBLE', 'GLOBAL'];

/** A profile for mihomo and the apps around it, in YAML. */
export function renderClashMeta(proxies: readonly ResolvedProxy[]): RenderedSubscription {
  return renderProfile(proxies, metaProxy);
}

/** A profile for the first Clash, in YAML. */
export function renderClash(proxies: readonly ResolvedProxy[]): RenderedSubscription {
  return renderProfile(proxies, clashProxy);
}

function renderProfile(
  proxies: readonly ResolvedProxy[],
  write: (proxy: ResolvedProxy) => object | undefined,
): RenderedSubscription {
  const lines: string[] = [];
  const names: string[] = [];
  for (const proxy of renamed(proxies, RESERVED)) {
    const written = write(proxy);
    if (written === undefined) continue;
    lines.push(`  - ${yamlFlow(written)}\n`);
    names.push(proxy.name);
  }
  const groups = groupsOf(names).map((group) => `  - ${yamlFlow(group)}\n`);
  const body = `${HEAD}proxies:${list(lines)}proxy-groups:${list(groups)}${RULES}`;
  return { body, leftOut: proxies.length - lines.length };
}

const list = (lines: readonly string[]): string => (lines.length > 0 ? `\n${lines.join('')}` : ' []\n');

/** A group needs members, and whoever has no proxy must not connect without one unawares. */
function groupsOf(names: readonly string[]): object[] {
  if (names.length === 0) return [{ name: SELECTOR, type: 'select', proxies: ['REJECT'] }];
  return [
    { name: SELECTOR, type: 'select', proxies: [FASTEST, ...names] },
    { name: FASTEST, type: 'url-test', proxies: names, url: 'https://www.gstatic.com/generate_204', interval: 300 },
  ];
}

const HEAD = `mixed-port: 7890
mode: rule
log-level: warning
ipv6: true
`;

/** No list from a file: what is private stays here, everything else takes the proxy. */
const RULES = `rules:
  - "DOMAIN-SUFFIX,local,DIRECT"
  - "IP-CIDR,127.0.0.0/8,DIRECT,no-resolve"
  - "IP-CIDR,10.0.0.0/8,DIRECT,no-resolve"
  - "IP-CIDR,172.16.0.0/12,DIRECT,no-resolve"
  - "IP-CIDR,192.168.0.0/16,DIRECT,no-resolve"
  - "IP-CIDR,169.254.0.0/16,DIRECT,no-resolve"
  - "IP-CIDR6,fc00::/7,DIRECT,no-resolve"
  - "IP-CIDR6,fe80::/10,DIRECT,no-resolve"
  - "MATCH,${SELECTOR}"
`;
