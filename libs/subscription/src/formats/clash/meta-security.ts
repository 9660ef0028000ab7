import type { ProxySecurity, RealitySecurity, TlsSecurity } from '../../model/resolved-proxy.js';
import { COMMON_FINGERPRINTS } from '../../protocol/fingerprints.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';

/** `sni` for trojan, `servername` for all others. */
export type ServerNameKey = 'sni' | 'servername';

/** How mihomo writes TLS. */
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

/** It looks for one name in the certificate, and REALITY is nothing without a fingerprint that it knows. */
export function canHandshake(security: ProxySecurity): boolean {
  if (security.type === 'reality') return COMMON_FINGERPRINTS.includes(security.fingerprint);
  return security.type === 'none' || security.allowInsecure || security.verifiedNames.length <= 1;
}

/** One certificate can be pinned. */
export function metaTrust({ allowInsecure, pinnedCertificates, verifiedNames }: TlsSecurity): object {
  if (!allowInsecure) return nonEmptyMembers({ 'name-cert-verify': verifiedNames[0] ?? '' });
  const [certificate, ...others] = pinnedCertificates;
  return certificate !== undefined && others.length === 0 ? { fingerprint: certificate } : { 'skip-cert-verify': true };
}

/** What is no list but the way to one is looked up by the client itself. */
const echConfig = (text: string): object => (/^[A-Za-z0-9+/]+=*$/.test(text) ? { config: text } : {});

/** Engines from 26.9.8 demand the key share, which mihomo takes out of its fingerprint unless it is told to leave it. */
function realityOptions({ fingerprint, publicKey, shortId }: RealitySecurity): object {
  return {
    'client-fingerprint': fingerprint,
    'reality-opts': { 'public-key': publicKey, 'short-id': shortId, 'support-x25519mlkem768': true },
  };
}
