import { type DocumentEntry, type FormatWriter, jsonProxy } from '../../writer/format-writer.js';
import { SING_BOX_GENERATIONS, type SingBoxAbilities, singBoxAbilities } from './sing-box-abilities.js';
import { singBoxOutbound } from './sing-box-outbound.js';

const SELECTOR = 'proxy';
const FASTEST_GROUP = 'auto';
const OWN_TAGS = [SELECTOR, FASTEST_GROUP, 'direct', 'block'];

/**
 * The writer of complete sing-box profiles: a TUN for the whole device, DNS through the proxy, and a group to choose from.
 *
 * @param version the version of the client, such as `1.11.15`; undefined = a current one.
 */
export function singBoxWriter(version?: string): FormatWriter {
  return WRITERS.get(singBoxAbilities(version))!;
}

const OUTBOUNDS = '(outbounds)';

function writerFor(abilities: SingBoxAbilities): FormatWriter {
  const [head, tail] = JSON.stringify(profile([OUTBOUNDS, DIRECT], abilities)).split(`"${OUTBOUNDS}"`);
  return {
    reservedNames: OWN_TAGS,
    writeProxy: (proxy) => jsonProxy(singBoxOutbound(proxy, abilities)),
    writeDocument: (entries) => `${head}${outboundsOf(entries).join(',')}${tail}`,
  };
}

function profile(outbounds: readonly unknown[], { typedDns }: SingBoxAbilities): object {
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
    outbounds,
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

/** The outbounds. Groups need members: without any proxy the group blocks, so that nobody connects directly unawares. */
function outboundsOf(entries: readonly DocumentEntry[]): string[] {
  if (entries.length === 0) return NO_PROXY.map((outbound) => JSON.stringify(outbound));
  const tags = entries.map(({ name }) => `"${name}"`).join(',');
  return [
    `{"type":"selector","tag":"${SELECTOR}","outbounds":["${FASTEST_GROUP}",${tags}]}`,
    `{"type":"urltest","tag":"${FASTEST_GROUP}","outbounds":[${tags}]}`,
    ...entries.map(({ text }) => text),
  ];
}

const NO_PROXY = [
  { type: 'selector', tag: SELECTOR, outbounds: ['block'] },
  { type: 'block', tag: 'block' },
];

const DIRECT = { type: 'direct', tag: 'direct' };

const DNS = {
  servers: [
    { type: 'https', tag: 'remote', server: '1.1.1.1', detour: SELECTOR },
    { type: 'local', tag: 'local' },
  ],
  final: 'remote',
};

/** DNS settings up to 1.11, where a rule resolves the host names of the proxies themselves. */
const DNS_1_11 = {
  servers: [
    { tag: 'remote', address: 'https://1.1.1.1/dns-query', detour: SELECTOR },
    { tag: 'local', address: 'local', detour: 'direct' },
  ],
  rules: [{ outbound: 'any', server: 'local' }],
  final: 'remote',
};

const WRITERS = new Map(SING_BOX_GENERATIONS.map((abilities) => [abilities, writerFor(abilities)]));
