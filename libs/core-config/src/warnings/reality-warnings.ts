import type { OfferedInbound } from '../offer/offered-inbound.js';
import type { JsonCursor } from '../read/json-cursor.js';
import { keyShareDemand } from './key-share.js';
import { compareVersions } from './version.js';
import type { CoreConfigWarning } from './warning.js';

/** The `minClientVer` with which REALITY accepts all clients: clients other than Xray report an old version of Xray. */
export const HARMLESS_CLIENT_VERSION = '1.0.0';
const BROKEN_FINGERPRINTS = ['android', '360', 'unsafe'];

/**
 * Warns of what current clients do not accept of a REALITY inbound.
 *
 * @param engineVersions the versions of the engines that run it, such as `26.3.27`
 */
export function realityWarnings(
  stream: JsonCursor,
  { tag, security, reality, fingerprint }: OfferedInbound,
  engineVersions: readonly string[],
): CoreConfigWarning[] {
  if (security !== 'reality' || reality === undefined) return [];
  const settings = stream.get('realitySettings');
  return [
    ...versionWarnings(settings, tag),
    ...keyShareWarnings(settings, tag, engineVersions),
    ...(reality.mldsa65Verify === '' || settings.get('mldsa65Seed').exists
      ? []
      : [
          warning(
            settings.get('mldsa65Verify'),
            'reality_mldsa65',
            `mldsa65Verify of inbound ${tag} stands without mldsa65Seed: clients that verify it cannot connect`,
          ),
        ]),
    ...(BROKEN_FINGERPRINTS.includes(fingerprint)
      ? [
          warning(
            settings.get('fingerprint'),
            'fingerprint_unusable',
            `fingerprint ${fingerprint} of inbound ${tag} does not speak TLS 1.3: no client can connect with it`,
          ),
        ]
      : []),
  ];
}

/** Warns of a `minClientVer` that is too high. Where none is given, nodes get HARMLESS_CLIENT_VERSION. */
function versionWarnings(settings: JsonCursor, tag: string): CoreConfigWarning[] {
  const cursor = settings.get('minClientVer');
  const { value } = cursor;
  if (typeof value !== 'string' || compareVersions(value, HARMLESS_CLIENT_VERSION) <= 0) return [];
  const message = `minClientVer ${value} of inbound ${tag} locks out clients such as sing-box and mihomo: ${HARMLESS_CLIENT_VERSION} does not`;
  return [warning(cursor, 'reality_client_version', message)];
}

function keyShareWarnings(settings: JsonCursor, tag: string, engines: readonly string[]): CoreConfigWarning[] {
  return engines
    .flatMap((engine) => keyShareDemand(engine, [tag]) ?? [])
    .slice(0, 1)
    .map((message) => warning(settings, 'reality_key_share', message));
}

const warning = ({ path }: JsonCursor, code: CoreConfigWarning['code'], message: string): CoreConfigWarning => ({
  path,
  code,
  message,
});
