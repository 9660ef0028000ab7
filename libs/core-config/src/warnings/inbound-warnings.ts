import type { OfferedInbound } from '../offer/offered-inbound.js';
import type { JsonCursor } from '../read/json-cursor.js';
import { clientWarnings } from './client-warnings.js';
import type { CoreConfigWarning } from './warning.js';

/** Warns of what will not work on an inbound that is accepted. */
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
