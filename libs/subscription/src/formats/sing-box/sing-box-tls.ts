import type { SingBoxFragmentSettings } from '../../model/host-settings.js';
import type { ProxySecurity, RealitySecurity, TlsSecurity } from '../../model/resolved-proxy.js';
import { COMMON_FINGERPRINTS } from '../../protocol/fingerprints.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';
import type { SingBoxAbilities } from './sing-box-abilities.js';

/** The member `tls` of an outbound, empty without TLS; undefined when sing-box cannot connect in this way. */
export function singBoxTls(
  security: ProxySecurity,
  fragment: SingBoxFragmentSettings,
  abilities: SingBoxAbilities,
): object | undefined {
  switch (security.type) {
    case 'none':
      return {};
    case 'tls':
      return { tls: { ...plainTls(security, abilities), ...fragmented(fragment, abilities) } };
    case 'reality':
      if (!COMMON_FINGERPRINTS.includes(security.fingerprint)) return undefined;
      return { tls: { ...realityTls(security), ...fragmented(fragment, abilities) } };
  }
}

function plainTls(security: TlsSecurity, abilities: SingBoxAbilities): object {
  const { serverName, alpn, fingerprint, echConfigList } = security;
  return {
    enabled: true,
    ...nonEmptyMembers({ server_name: serverName }),
    ...trust(security, abilities),
    ...(alpn.length > 0 && { alpn }),
    // sing-box refuses a whole profile for one unknown fingerprint: it uses its own instead.
    ...(COMMON_FINGERPRINTS.includes(fingerprint) && { utls: { enabled: true, fingerprint } }),
    ...(echConfigList !== '' && { ech: { enabled: true, ...echConfig(echConfigList) } }),
  };
}

function trust({ allowInsecure, pinnedPublicKeys }: TlsSecurity, { pinsPublicKeys }: SingBoxAbilities): object {
  if (!allowInsecure) return {};
  const isPinned = pinsPublicKeys && pinnedPublicKeys.length > 0;
  return isPinned ? { certificate_public_key_sha256: pinnedPublicKeys } : { insecure: true };
}

/** The ECH settings: a config list is written; with a DNS server instead of a list, the client looks the list up itself. */
function echConfig(text: string): object {
  if (!/^[A-Za-z0-9+/]+=*$/.test(text)) return {};
  return { config: ['-----BEGIN ECH CONFIGS-----', text, '-----END ECH CONFIGS-----'] };
}

function realityTls({ serverName, fingerprint, publicKey, shortId }: RealitySecurity): object {
  return {
    enabled: true,
    server_name: serverName,
    utls: { enabled: true, fingerprint },
    reality: { enabled: true, public_key: publicKey, short_id: shortId },
  };
}

function fragmented(settings: SingBoxFragmentSettings, { fragments }: SingBoxAbilities): object {
  const { fragment, fragment_fallback_delay, record_fragment } = settings;
  if (!fragments) return {};
  return {
    ...(fragment && { fragment }),
    ...(fragment && fragment_fallback_delay && { fragment_fallback_delay }),
    ...(record_fragment && { record_fragment }),
  };
}
