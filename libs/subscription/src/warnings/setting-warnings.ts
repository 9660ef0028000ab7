import type { Host } from '../model/host.js';
import type { ResolvedProxy } from '../model/resolved-proxy.js';
import type { HostWarning } from './host-warning.js';

/** Checks one setting of a host; undefined when there is nothing to warn of. */
type Rule = (host: Host, proxy: ResolvedProxy) => Pick<HostWarning, 'code' | 'message'> | undefined;

/** Warnings about settings that have no effect, or with which clients cannot connect. */
export function settingWarnings(host: Host, proxy: ResolvedProxy): HostWarning[] {
  return Object.entries(RULES).flatMap(([path, rule]) => {
    const warning = rule(host, proxy);
    return warning ? [{ path, ...warning }] : [];
  });
}

const RULES: Readonly<Record<string, Rule>> = {
  'mux_settings.xray': (_, { mux, transport, protocol }) => {
    if (!mux.xray?.enabled) return undefined;
    if (transport.type === 'xhttp') return noEffect('xhttp multiplexes itself: Xray clients get no mux for it');
    const withVision = protocol.type === 'vless' && protocol.flow !== '';
    return withVision ? noEffect('users with xtls-rprx-vision multiplex UDP alone') : undefined;
  },

  'mux_settings.sing_box': (_, { mux }) =>
    mux.sing_box?.enable ? doesNotWork('the engine does not speak the multiplex of sing-box') : undefined,

  'mux_settings.clash': (_, { mux }) =>
    mux.clash?.enable ? doesNotWork('the engine does not speak the smux of mihomo') : undefined,

  fingerprint: (_, { security }) =>
    security.type !== 'none' && security.fingerprint.startsWith('randomized')
      ? { code: 'does_not_work', message: 'clients draw it at each start, and with about one in five cannot connect' }
      : undefined,

  alpn: ({ alpn }, { security, transport }) => {
    if (alpn.length === 0) return undefined;
    if (security.type !== 'tls') {
      return noEffect(`only tls has an alpn, and this host has ${security.type}`);
    }
    const unspoken = alpn.filter((protocol) => !security.alpn.includes(protocol));
    if (unspoken.length === 0) return undefined;
    const instead = security.alpn.length > 0 ? `${security.alpn.join(', ')} instead` : 'their own';
    return noEffect(
      `${transport.type === 'tcp-http' ? 'tcp' : transport.type} does not speak ${unspoken.join(', ')}: clients get ${instead}`,
    );
  },

  'fragment_settings.xray': (_, { fragment, transport, security }) => {
    if (!fragment.xray) return undefined;
    if (isUdp({ transport, security })) return noEffect('there is no TCP to be fragmented');
    const onlyHello = (fragment.xray.packets ?? 'tlshello') === 'tlshello';
    return onlyHello && security.type === 'none'
      ? noEffect('without tls there is no tlshello to be fragmented: set packets to a range such as 1-3')
      : undefined;
  },

  'fragment_settings.sing_box': (_, { fragment, security }) => {
    const { fragment: pieces, record_fragment } = fragment.sing_box ?? {};
    const isSet = pieces || record_fragment;
    return isSet && security.type === 'none' ? noEffect('sing-box fragments tls alone') : undefined;
  },

  'noise_settings.xray': (_, proxy) =>
    proxy.noises.length > 0 && !isUdp(proxy)
      ? noEffect('noise goes before UDP: over kcp, or over xhttp with the alpn h3')
      : undefined,

  'transport_settings.kcp_settings.header': ({ transportSettings }) =>
    (transportSettings?.kcp_settings?.header ?? 'none') === 'none'
      ? undefined
      : noEffect('engines have no such header any more: put a finalmask into the inbound'),

  'transport_settings.xhttp_settings.download_settings': ({ transportSettings }, { transport }) => {
    const { download_settings, mode } = transportSettings?.xhttp_settings ?? {};
    if (!download_settings) return undefined;
    if (transport.type !== 'xhttp') return noEffect('the inbound of this host is not xhttp');
    if (!transport.download) return noEffect('the other host is disabled, left out of subscriptions or not xhttp');
    return (mode ?? transport.mode) === 'stream-one'
      ? doesNotWork('no download passes beside a stream-one')
      : undefined;
  },

  allowinsecure: (_, { security }) =>
    security.type === 'tls' && security.allowInsecure && security.pinnedCertificates.length === 0
      ? noEffect('the certificate is not known here: Xray clients verify theirs as ever')
      : undefined,
};

const noEffect = (message: string) => ({ code: 'no_effect', message }) as const;
const doesNotWork = (message: string) =>
  ({ code: 'does_not_work', message: `${message}: such clients will not connect` }) as const;

function isUdp({ transport, security }: Pick<ResolvedProxy, 'transport' | 'security'>): boolean {
  if (transport.type === 'kcp') return true;
  return transport.type === 'xhttp' && security.type === 'tls' && security.alpn.join() === 'h3';
}
