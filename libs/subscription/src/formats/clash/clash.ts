import type { ResolvedProxy } from '../../model/resolved-proxy.js';
import type { DocumentEntry, FormatWriter } from '../../writer/format-writer.js';
import { clashProxy } from './clash-proxy.js';
import { metaProxy } from './meta-proxy.js';
import { yamlFlow, yamlText } from './yaml.js';

const SELECTOR = 'Proxy';
const FASTEST = 'Auto';
/** Names of proxies that Clash itself has, and of our groups. */
const RESERVED = [SELECTOR, FASTEST, 'DIRECT', 'REJECT', 'REJECT-DROP', 'PASS', 'COMPATIBLE', 'GLOBAL'];

/** The writer of profiles for mihomo and clients that are based on it, in YAML. */
export const CLASH_META = writerOf(metaProxy);

/** The writer of profiles for the original Clash, in YAML. */
export const CLASH = writerOf(clashProxy);

function writerOf(describe: (proxy: ResolvedProxy) => object | undefined): FormatWriter {
  return {
    reservedNames: RESERVED,
    writeProxy: (proxy) => {
      const described = describe(proxy);
      return described && { text: yamlFlow(described), escapeText: yamlText };
    },
    writeDocument: (entries) =>
      `${HEAD}proxies:${list(entries.map(({ text }) => text))}proxy-groups:${list(groupsOf(entries))}${RULES}`,
  };
}

const list = (items: readonly string[]): string =>
  items.length > 0 ? `\n${items.map((item) => `  - ${item}\n`).join('')}` : ' []\n';

/** The groups. They need members: without any proxy they reject, so that nobody connects directly unawares. */
function groupsOf(entries: readonly DocumentEntry[]): string[] {
  if (entries.length === 0) return [yamlFlow({ name: SELECTOR, type: 'select', proxies: ['REJECT'] })];
  const names = entries.map(({ name }) => `"${name}"`).join(',');
  return [
    `{"name":"${SELECTOR}","type":"select","proxies":["${FASTEST}",${names}]}`,
    `{"name":"${FASTEST}","type":"url-test","proxies":[${names}],"url":"${PROBE}","interval":300}`,
  ];
}

const PROBE = 'https://www.gstatic.com/generate_204';

const HEAD = `mixed-port: 7890
mode: rule
log-level: warning
ipv6: true
`;

/** The rules: private addresses are reached directly, everything else through the proxy. No rule needs a file. */
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
