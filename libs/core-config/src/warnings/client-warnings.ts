import type { Alpn, OfferedInbound } from '../offer/offered-inbound.js';
import { limitsTwice } from '../offer/xhttp-extra.js';
import type { JsonCursor } from '../read/json-cursor.js';
import { type Network, networkSettings, type RemovedNetwork } from '../read/networks.js';
import { realityWarnings } from './reality-warnings.js';
import type { CoreConfigWarning } from './warning.js';

/**
 * Warns of settings that the engine runs but no current client accepts, as measured with the pinned engine. Limits of a
 * single kind of client are known to the renderers of subscriptions.
 */
export function clientWarnings(
  cursor: JsonCursor,
  inbound: OfferedInbound,
  engineVersions: readonly string[],
): CoreConfigWarning[] {
  if (inbound.removed !== undefined) return [];
  const stream = cursor.get('streamSettings');
  return [
    ...realityWarnings(stream, inbound, engineVersions),
    ...alpnWarnings(stream, inbound),
    ...flowWarnings(cursor.get('settings'), inbound),
    ...xmuxWarnings(stream, inbound),
    ...insecureWarnings(stream, inbound),
  ];
}

/** The ALPN protocols of clients by transport: a server that offers none of them ends every handshake. */
const SPOKEN: Partial<Record<Network | RemovedNetwork, readonly Alpn[]>> = {
  tcp: ['h2', 'http/1.1'],
  ws: ['http/1.1'],
  httpupgrade: ['http/1.1'],
  grpc: ['h2'],
};

function alpnWarnings(stream: JsonCursor, { tag, network, alpn }: OfferedInbound): CoreConfigWarning[] {
  const spoken = SPOKEN[network];
  if (spoken === undefined || alpn.length === 0 || alpn.some((protocol) => spoken.includes(protocol))) return [];
  return [
    {
      path: stream.get('tlsSettings').get('alpn').path,
      code: 'alpn_unusable',
      message: `alpn of inbound ${tag} has none of ${spoken.join(', ')}: no client can connect over ${network}`,
    },
  ];
}

/** The engine refuses fallbacks beside VLESS encryption, and vision breaks connections except on raw TLS and REALITY. */
function flowWarnings(settings: JsonCursor, inbound: OfferedInbound): CoreConfigWarning[] {
  if (inbound.protocol !== 'vless') return [];
  const warnings: CoreConfigWarning[] = [];
  if (inbound.flow !== '' && !inbound.vision) {
    const message = `inbound ${inbound.tag} cannot carry ${inbound.flow}: users are served without it`;
    warnings.push({ path: settings.get('flow').path, code: 'flow_unusable', message });
  }
  const decryption = settings.get('decryption').text() || 'none';
  if (decryption !== 'none' && settings.get('fallbacks').items().length > 0) {
    const message = `inbound ${inbound.tag} has fallbacks beside VLESS encryption: the engine refuses that`;
    warnings.push({ path: settings.get('fallbacks').path, code: 'fallbacks_unusable', message });
  }
  return warnings;
}

/** Clients get the `xmux` of the inbound and refuse their whole configuration when it sets both limits. */
function xmuxWarnings(stream: JsonCursor, { tag, extra }: OfferedInbound): CoreConfigWarning[] {
  if (!limitsTwice(extra['xmux'])) return [];
  const { path } = networkSettings(stream, 'xhttp');
  const message = `xmux of inbound ${tag} limits both maxConcurrency and maxConnections: clients refuse that`;
  return [{ path, code: 'xmux_conflict', message }];
}

function insecureWarnings(stream: JsonCursor, { tag, allowInsecure }: OfferedInbound): CoreConfigWarning[] {
  if (!allowInsecure) return [];
  const { path } = stream.get('tlsSettings').get('allowInsecure');
  const message = `allowInsecure of inbound ${tag} is refused by Xray clients since June 2026: they get a pin of its certificate`;
  return [{ path, code: 'allow_insecure', message }];
}
