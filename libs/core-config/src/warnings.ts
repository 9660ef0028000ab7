import { clientWarnings } from './client-warnings.js';
import type { OfferedInbound } from './inbound.js';
import type { JsonCursor } from './json.js';

/** Something that is accepted and will not work as the operator may expect. */
export interface CoreConfigWarning {
  /** Where in the configuration, such as `inbounds[0].streamSettings`. */
  readonly path: string;
  /** The kind of the warning, for programs. */
  readonly code:
    | 'transport_removed'
    | 'certificate_missing'
    | 'reality_target_missing'
    | 'reality_client_version'
    | 'reality_key_share'
    | 'reality_mldsa65'
    | 'fingerprint_unusable'
    | 'alpn_unusable'
    | 'flow_unusable'
    | 'fallbacks_unusable'
    | 'xmux_conflict'
    | 'allow_insecure'
    | 'port_twice'
    | 'target_unknown'
    | 'geo_list';
  /** The warning in a sentence. */
  readonly message: string;
}

/** What to tell the operator about an inbound that is accepted. */
export function inboundWarnings(
  cursor: JsonCursor,
  inbound: OfferedInbound,
  engineVersions: readonly string[],
): CoreConfigWarning[] {
  const stream = cursor.get('streamSettings');
  const warnings: CoreConfigWarning[] = [];
  if (inbound.removed !== undefined) {
    warnings.push({
      path: stream.get('network').path,
      code: 'transport_removed',
      message: `inbound ${inbound.tag} is left out of nodes and subscriptions: ${inbound.removed}`,
    });
  }
  if (inbound.security === 'tls' && inbound.certificateSha256.length === 0) {
    warnings.push({
      path: stream.get('tlsSettings').path,
      code: 'certificate_missing',
      message: `inbound ${inbound.tag} has no certificate: no client can connect to it`,
    });
  }
  const target = stream.get('realitySettings').getFirst('target', 'dest');
  if (inbound.security === 'reality' && !target.exists) {
    warnings.push({
      path: target.path,
      code: 'reality_target_missing',
      message: `inbound ${inbound.tag} has no target in realitySettings: the engine will not start with it`,
    });
  }
  return [...warnings, ...clientWarnings(cursor, inbound, engineVersions)];
}
