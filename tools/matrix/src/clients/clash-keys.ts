/** Every key that a proxy may contain, with its parents. The keys below `headers` are header names and not listed. */
const OF_FIRST_CLASH = [
  'name type server port udp uuid alterId cipher password tls servername sni alpn skip-cert-verify network',
  'ws-opts ws-opts.path ws-opts.headers ws-opts.max-early-data ws-opts.early-data-header-name',
  'http-opts http-opts.method http-opts.path http-opts.headers',
  'grpc-opts grpc-opts.grpc-service-name',
];
const OF_MIHOMO = [
  ...OF_FIRST_CLASH,
  'flow encryption fingerprint name-cert-verify client-fingerprint ws-opts.v2ray-http-upgrade grpc-opts.grpc-user-agent',
  'reality-opts reality-opts.public-key reality-opts.short-id reality-opts.support-x25519mlkem768',
  'ech-opts ech-opts.enable ech-opts.config',
  'plugin plugin-opts plugin-opts.mode plugin-opts.mux plugin-opts.path plugin-opts.host plugin-opts.tls',
  'mkcp-opts mkcp-opts.seed mkcp-opts.header smux smux.enabled smux.protocol smux.max-connections',
  'xhttp-opts xhttp-opts.path xhttp-opts.host xhttp-opts.mode xhttp-opts.headers xhttp-opts.no-grpc-header',
  'xhttp-opts.x-padding-bytes xhttp-opts.sc-max-each-post-bytes xhttp-opts.sc-min-posts-interval-ms',
  'xhttp-opts.reuse-settings xhttp-opts.reuse-settings.max-concurrency',
  'xhttp-opts.reuse-settings.c-max-reuse-times xhttp-opts.reuse-settings.h-max-request-times',
  'xhttp-opts.reuse-settings.h-max-reusable-secs xhttp-opts.download-settings',
  ...['server', 'port', 'path', 'host', 'headers', 'tls', 'servername', 'alpn', 'client-fingerprint'].map(
    (key) => `xhttp-opts.download-settings.${key}`,
  ),
];

const listed = (lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(' ')));

export const CLASH_KEYS = { mihomo: listed(OF_MIHOMO), 'the first Clash': listed(OF_FIRST_CLASH) } as const;

/** Lists the keys of a proxy, each with its parents. */
export function keysOf(value: unknown, above = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const path = above + key;
    return key === 'headers' ? [path] : [path, ...keysOf(member, `${path}.`)];
  });
}
