import type { JsonObject } from '@rampart/core-config';
import type { HostFragmentSettings } from '../../model/host-settings.js';
import type { ProxySecurity, ProxyTransport, ResolvedProxy, XhttpTransport } from '../../model/resolved-proxy.js';
import { fragmentSettings } from '../xray/xray-dialer.js';
import { xhttpExtra } from '../xray/xray-stream.js';
import type { LinkQuery } from './url-link.js';

/** The parameters for transport and security in links of vless, trojan and shadowsocks. */
export function streamQuery({ transport, security, finalmask, fragment }: ResolvedProxy): LinkQuery {
  return [
    ['security', security.type],
    ...transportQuery(transport),
    ['fm', jsonOrNothing(finalmask)],
    ...securityQuery(security),
    ['fragment', fragmentText(fragment)],
  ];
}

function transportQuery(transport: ProxyTransport): LinkQuery {
  switch (transport.type) {
    case 'tcp':
      return [
        ['type', 'tcp'],
        ['headerType', 'none'],
      ];
    case 'kcp':
      return [
        ['type', 'kcp'],
        ['headerType', 'none'],
        ['mtu', numberText(transport.settings['mtu'])],
        ['tti', numberText(transport.settings['tti'])],
      ];
    case 'tcp-http':
      return [
        ['type', 'tcp'],
        ['headerType', 'http'],
        ['path', transport.path],
        ['host', transport.host],
      ];
    case 'ws':
    case 'httpupgrade':
      return [
        ['type', transport.type],
        ['path', transport.path],
        ['host', transport.host],
        ['heartbeatPeriod', transport.type === 'ws' ? numberText(transport.heartbeatPeriod) : ''],
      ];
    case 'xhttp':
      return [
        ['type', 'xhttp'],
        ['path', transport.path],
        ['host', transport.host],
        ['mode', transport.mode],
        ['extra', linkExtra(transport)],
      ];
    case 'grpc':
      return [
        ['type', 'grpc'],
        ['serviceName', transport.serviceName],
        ['authority', transport.authority],
        ['mode', transport.multiMode ? 'multi' : 'gun'],
      ];
  }
}

function securityQuery(security: ProxySecurity): LinkQuery {
  switch (security.type) {
    case 'none':
      return [];
    case 'tls':
      return [
        ['sni', security.serverName],
        ['fp', security.fingerprint],
        ['alpn', security.alpn.join(',')],
        ['pcs', security.pinnedCertificates.join(',')],
        ['vcn', security.verifiedNames.join(',')],
        ['ech', security.echConfigList],
      ];
    case 'reality':
      return [
        ['sni', security.serverName],
        ['fp', security.fingerprint],
        ['pbk', security.publicKey],
        ['sid', security.shortId],
        ['spx', security.spiderX],
        ['pqv', security.mldsa65Verify],
      ];
  }
}

/** The settings of xhttp as JSON. Karing reads the mode from them, all other clients from the parameter `mode`. */
export function linkExtra(transport: XhttpTransport): string {
  return JSON.stringify({ mode: transport.mode, ...xhttpExtra(transport) });
}

/** The fragment settings as `length,interval,packets`, the form that clients read. */
export function fragmentText({ xray }: HostFragmentSettings): string {
  if (!xray) return '';
  const { length, interval, packets } = fragmentSettings(xray);
  return `${length},${interval},${packets}`;
}

/** A number as text; the empty text for 0 and for values that are not set. */
export const numberText = (value: unknown): string => (typeof value === 'number' && value > 0 ? String(value) : '');

/** An object as JSON; the empty text for an empty object. */
export function jsonOrNothing(value: JsonObject): string {
  return Object.keys(value).length > 0 ? JSON.stringify(value) : '';
}
