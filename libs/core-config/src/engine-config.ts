import type { CoreConfig } from './core-config.js';
import { type ReadCertificate, readPemFile } from './offer/certificate.js';
import { readProtocol } from './offer/protocol.js';
import { removedTransport } from './offer/transport.js';
import { lenient } from './read/attempt.js';
import { isFragment } from './read/fragment-mask.js';
import { isJsonObject, JsonCursor, type JsonObject } from './read/json-cursor.js';
import { HARMLESS_CLIENT_VERSION } from './warnings/reality-warnings.js';

/** A configuration as it is sent to a node. */
export interface EngineConfig {
  readonly config: JsonObject;
  /** Inbounds that are not sent because the engine would refuse them, each with the reason. */
  readonly leftOut: readonly { readonly tag: string; readonly reason: string }[];
}

/**
 * Makes the configuration for a node. Inbounds on removed transports are left out. Certificates become lists of lines,
 * because the engine accepts no string and nodes have no access to the files. Names that only clients or old engines know
 * are corrected, and REALITY settings whose defaults differ in newer engines are set. Everything else stays unchanged.
 *
 * @throws CoreConfigError when a certificate file can no longer be read
 */
export function engineConfig(core: CoreConfig, readCertificate?: ReadCertificate): EngineConfig {
  const leftOut: { tag: string; reason: string }[] = [];
  const inbounds: unknown[] = [];
  const refused = new Map(core.refused.map(({ tag, message }) => [tag, message]));
  for (const cursor of new JsonCursor(core.tree).get('inbounds').items()) {
    const tag = cursor.get('tag').text();
    const reason = refused.get(tag) ?? lenient(() => removedTransport(cursor.get('streamSettings')));
    if (reason === undefined) inbounds.push(engineInbound(cursor, tag, readCertificate));
    else leftOut.push({ tag, reason });
  }
  return { config: { ...core.tree, inbounds }, leftOut };
}

/** Edits an inbound. Settings of protocols that users do not get were not validated: what cannot be read stays unchanged. */
function engineInbound(cursor: JsonCursor, tag: string, readCertificate: ReadCertificate | undefined): JsonObject {
  const { listen, ...inbound } = cursor.object();
  const protocol = readProtocol(cursor, tag);
  const stream = cursor.get('streamSettings');
  const edited = () => stream.exists && { streamSettings: streamSettings(stream, tag, readCertificate) };
  return {
    // The engine crashes on an empty address, which means the same as no address.
    ...(listen === '' ? inbound : cursor.object()),
    ...(protocol === 'vless' && { settings: vlessSettings(cursor.get('settings')) }),
    ...(protocol === undefined ? lenient(edited) : edited()),
  };
}

/** Adds `decryption`, which the engine requires and the contract defaults. */
function vlessSettings(cursor: JsonCursor): unknown {
  if (!cursor.exists) return { decryption: 'none' };
  return edit(cursor, (settings) => ({ ...settings, decryption: cursor.get('decryption').text() || 'none' }));
}

function streamSettings(cursor: JsonCursor, tag: string, readCertificate: ReadCertificate | undefined): unknown {
  return edit(cursor, ({ gunSettings, ...stream }) => ({
    ...stream,
    ...(cursor.get('network').text().toLowerCase() === 'gun' && { network: 'grpc' }),
    ...(gunSettings !== undefined && stream['grpcSettings'] === undefined && { grpcSettings: gunSettings }),
    ...(cursor.get('security').text().toLowerCase() === 'reality' && besideReality(cursor)),
    ...(cursor.get('tlsSettings').exists && {
      tlsSettings: tlsSettings(cursor.get('tlsSettings'), tag, readCertificate),
    }),
  }));
}

function besideReality(stream: JsonCursor): JsonObject {
  const [settings, masks] = [stream.get('realitySettings'), stream.get('finalmask')];
  return {
    ...(settings.exists && { realitySettings: edit(settings, withClientVersion) }),
    ...(masks.exists && { finalmask: withoutFragments(masks) }),
  };
}

/** Adds `minClientVer`: engines from 26.7.11 on default it to 26.3.27, which locks out sing-box and mihomo. */
const withClientVersion = (reality: JsonObject): JsonObject =>
  (reality['minClientVer'] ?? '') === '' ? { ...reality, minClientVer: HARMLESS_CLIENT_VERSION } : reality;

/** Removes masks that are for clients alone: an engine that has one beside REALITY crashes at the first connection. */
function withoutFragments(cursor: JsonCursor): unknown {
  return edit(cursor, (masks) => ({
    ...masks,
    ...(Array.isArray(masks['tcp']) && { tcp: masks['tcp'].filter((mask) => !isFragment(mask)) }),
  }));
}

/** Removes `allowInsecure`, which only advises clients: the engine refuses it since June 2026. */
function tlsSettings(cursor: JsonCursor, tag: string, readCertificate: ReadCertificate | undefined): unknown {
  return edit(cursor, ({ allowInsecure: _, ...tls }) => ({
    ...tls,
    ...(cursor.get('certificates').exists && {
      certificates: cursor
        .get('certificates')
        .items()
        .map((entry) => certificateEntry(entry, tag, readCertificate)),
    }),
  }));
}

function certificateEntry(cursor: JsonCursor, tag: string, readCertificate: ReadCertificate | undefined): unknown {
  return edit(cursor, ({ certificateFile: _file, keyFile: _keyFile, ...entry }) => ({
    ...entry,
    ...pemLines(cursor, 'certificate', tag, readCertificate),
    ...pemLines(cursor, 'key', tag, readCertificate),
  }));
}

function pemLines(
  entry: JsonCursor,
  name: 'certificate' | 'key',
  tag: string,
  readCertificate: ReadCertificate | undefined,
): JsonObject {
  const file = entry.get(`${name}File`);
  const text = file.exists ? readPemFile(file, tag, readCertificate) : entry.get(name).value;
  return typeof text === 'string' ? { [name]: text.trimEnd().split(/\r?\n/) } : {};
}

function edit(cursor: JsonCursor, change: (value: JsonObject) => JsonObject): unknown {
  return isJsonObject(cursor.value) ? change(cursor.value) : cursor.value;
}
