import type { Inbound } from './inbound.js';
import type { JsonCursor } from './json.js';
import type { CoreConfigWarning } from './warnings.js';

/** REALITY clients other than the engine name an old version of it. */
const HARMLESS_VERSION = [1, 0, 0];
/** Engines from here on ask for `minClientVer` 26.3.27 where the configuration names none … */
const VERSION_DEMANDED = [26, 7, 11];
/** … and from here on for a key share that few other clients offer, whatever the configuration says. */
const KEY_SHARE_DEMANDED = [26, 9, 8];
const BROKEN_FINGERPRINTS = ['android', '360', 'unsafe'];

/**
 * What current clients will not accept of a REALITY inbound.
 *
 * @param engineVersions of the nodes that run it, such as `26.3.27`
 */
export function realityWarnings(
  stream: JsonCursor,
  { tag, security, reality, fingerprint }: Inbound,
  engineVersions: readonly string[],
): CoreConfigWarning[] {
  if (security !== 'reality' || reality === undefined) return [];
  const settings = stream.get('realitySettings');
  return [
    ...versionWarnings(settings, tag, engineVersions),
    ...newestEngine(settings, tag, engineVersions),
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

function versionWarnings(settings: JsonCursor, tag: string, engines: readonly string[]): CoreConfigWarning[] {
  const cursor = settings.get('minClientVer');
  const given = typeof cursor.value === 'string' && cursor.value !== '' ? cursor.value : undefined;
  const lockedOut = 'locks out clients such as sing-box and mihomo: 1.0.0 does not';
  if (given !== undefined) {
    if (!isAbove(given, HARMLESS_VERSION)) return [];
    return [warning(cursor, 'reality_client_version', `minClientVer ${given} of inbound ${tag} ${lockedOut}`)];
  }
  const strict = engines.find((engine) => isFrom(engine, VERSION_DEMANDED) && !isFrom(engine, KEY_SHARE_DEMANDED));
  if (strict === undefined) return [];
  const message = `inbound ${tag} has no minClientVer, for which engine ${strict} takes 26.3.27 and ${lockedOut}`;
  return [warning(cursor, 'reality_client_version', message)];
}

function newestEngine(settings: JsonCursor, tag: string, engines: readonly string[]): CoreConfigWarning[] {
  const newest = engines.find((engine) => isFrom(engine, KEY_SHARE_DEMANDED));
  if (newest === undefined) return [];
  const message = `engine ${newest} takes only clients with an X25519MLKEM768 key share on inbound ${tag}: sing-box, Karing and Shadowrocket have none`;
  return [warning(settings, 'reality_key_share', message)];
}

const warning = ({ path }: JsonCursor, code: CoreConfigWarning['code'], message: string): CoreConfigWarning => ({
  path,
  code,
  message,
});

const isFrom = (version: string, least: readonly number[]): boolean => compare(version, least) >= 0;
const isAbove = (version: string, least: readonly number[]): boolean => compare(version, least) > 0;

/** What is no number compares as equal. */
function compare(version: string, other: readonly number[]): number {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  const at = other.findIndex((part, index) => (parts[index] ?? 0) !== part);
  return at < 0 ? 0 : (parts[at] ?? 0) - (other[at] ?? 0);
}
