import type { ProxySecurity, RealitySecurity, TlsSecurity } from '../../model/resolved-proxy.js';
import { COMMON_FINGERPRINTS } from '../../protocol/fingerprints.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';

/** The name of the field for the server name: `sni` for trojan, `servername` for all other protocols. */
export type ServerNameKey = 'sni' | 'servername';

/** The security of a mihomo proxy; undefined when mihomo cannot connect in this way. */
export function metaSecurity(security: ProxySecurity, nameKey: ServerNameKey): object {
  switch (security.type) {
    case 'none':
      return {};
    case 'tls':
      return { tls: true, ...nonEmptyMembers({ [nameKey]: security.serverName }), ...tlsOptions(security) };
    case 'reality':
      return { tls: true, ...nonEmptyMembers({ [nameKey]: security.serverName }), ...realityOptions(security) };
  }
}

function tlsOptions(security: TlsSecurity): object {
  const { alpn, fingerprint, echConfigList } = security;
  return {
    ...(alpn.length > 0 && { alpn }),
    ...nonEmptyMembers({ 'client-fingerprint': fingerprint }),
    ...metaTrust(security),
    ...(echConfigList !== '' && { 'ech-opts': { enable: true, ...echConfig(echConfigList) } }),
  };
}

/** Whether mihomo supports the security: it verifies one name only, and REALITY needs a fingerprint that it knows. */
export function canHandshake(security: ProxySecurity): boolean {
  if (security.type === 'reality') return COMMON_FINGERPRINTS.includes(security.fingerprint);
  return security.type === 'none' || security.allowInsecure || security.verifiedNames.length <= 1;
}

/** The pin of the certificate; mihomo takes one only. */
export function metaTrust({ allowInsecure, pinnedCertificates, verifiedNames }: TlsSecurity): object {
  if (!allowInsecure) return nonEmptyMembers({ 'name-cert-verify': verifiedNames[0] ?? '' });
  const [certificate, ...others] = pinnedCertificates;
  return certificate !== undefined && others.length === 0 ? { fingerprint: certificate } : { 'skip-cert-verify': true };
}

/** The ECH settings: a config list is written; with a DNS server instead of a list, the client looks the list up itself. */
const echConfig = (text: string): object => (/^[A-Za-z0-9+/]+=*$/.test(text) ? { config: text } : {});

/**
 * Keeps the key share X25519MLKEM768 in the fingerprint: engines from 26.9.8 on demand it, and mihomo removes it by
 * default.
 */
function realityOptions({ fingerprint, publicKey, shortId }: RealitySecurity): object {
  return {
    'client-fingerprint': fingerprint,
    'reality-opts': { 'public-key': publicKey, 'short-id': shortId, 'support-x25519mlkem768': true },
  };
}
