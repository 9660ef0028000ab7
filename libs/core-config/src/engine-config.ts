import { type ReadCertificate, readPemFile } from './certificate.js';
import { isFragment } from './fragment-mask.js';
import { isJsonObject, JsonCursor, type JsonObject } from './json.js';
import type { CoreConfig } from './parse-core-config.js';
import { removedTransport } from './transport.js';

/** What goes to a node. */
export interface EngineConfig {
  readonly config: JsonObject;
  /** Inbounds that the engine would refuse, and why. */
  readonly leftOut: readonly { readonly tag: string; readonly reason: string }[];
}

/**
 * The configuration towards a node. Inbounds on removed transports are left out; certificates become arrays of lines
 * (the engine takes no string, and nodes are other machines); names that only clients or old engines know are put
 * right. Everything else stays as it is.
 *
 * @throws CoreConfigError where a certificate file cannot be read any more
 */
export function engineConfig(core: CoreConfig, readCertificate?: ReadCertificate): EngineConfig {
  const leftOut: { tag: string; reason: string }[] = [];
  const inbounds: unknown[] = [];
  for (const cursor of new JsonCursor(core.config).get('inbounds').items()) {
    const reason = isJsonObject(cursor.value) ? removedTransport(cursor.get('streamSettings')) : undefined;
    if (reason === undefined) inbounds.push(engineInbound(cursor, readCertificate));
    else leftOut.push({ tag: cursor.get('tag').text(), reason });
  }
  return { config: { ...core.config, inbounds }, leftOut };
}

function engineInbound(cursor: JsonCursor, readCertificate: ReadCertificate | undefined): unknown {
  return edit(cursor, (inbound) => ({
    ...inbound,
    ...(cursor.get('protocol').text().toLowerCase() === 'vless' && { settings: vlessSettings(cursor.get('settings')) }),
    ...(cursor.get('streamSettings').exists && {
      streamSettings: streamSettings(cursor.get('streamSettings'), readCertificate),
    }),
  }));
}

/** The engine demands `decryption`; the contract defaults it. */
function vlessSettings(cursor: JsonCursor): unknown {
  if (!cursor.exists) return { decryption: 'none' };
  return edit(cursor, (settings) => ({ ...settings, decryption: cursor.get('decryption').text() || 'none' }));
}

function streamSettings(cursor: JsonCursor, readCertificate: ReadCertificate | undefined): unknown {
  return edit(cursor, ({ gunSettings, ...stream }) => ({
    ...stream,
    ...(cursor.get('network').text().toLowerCase() === 'gun' && { network: 'grpc' }),
    ...(gunSettings !== undefined && stream['grpcSettings'] === undefined && { grpcSettings: gunSettings }),
    ...(cursor.get('finalmask').exists &&
      cursor.get('security').text().toLowerCase() === 'reality' && {
        finalmask: withoutFragments(cursor.get('finalmask')),
      }),
    ...(cursor.get('tlsSettings').exists && { tlsSettings: tlsSettings(cursor.get('tlsSettings'), readCertificate) }),
  }));
}

/** Clients send in pieces well; beside REALITY an engine that listens so ends at the first connection. */
function withoutFragments(cursor: JsonCursor): unknown {
  return edit(cursor, (masks) => ({
    ...masks,
    ...(Array.isArray(masks['tcp']) && { tcp: masks['tcp'].filter((mask) => !isFragment(mask)) }),
  }));
}

/** `allowInsecure` is advice to clients; the engine refuses it by the clock. */
function tlsSettings(cursor: JsonCursor, readCertificate: ReadCertificate | undefined): unknown {
  return edit(cursor, ({ allowInsecure: _, ...tls }) => ({
    ...tls,
    ...(cursor.get('certificates').exists && {
      certificates: cursor
        .get('certificates')
        .items()
        .map((entry) => certificateEntry(entry, readCertificate)),
    }),
  }));
}

function certificateEntry(cursor: JsonCursor, readCertificate: ReadCertificate | undefined): unknown {
  return edit(cursor, ({ certificateFile: _file, keyFile: _keyFile, ...entry }) => ({
    ...entry,
    ...pemLines(cursor, 'certificate', readCertificate),
    ...pemLines(cursor, 'key', readCertificate),
  }));
}

function pemLines(
  entry: JsonCursor,
  name: 'certificate' | 'key',
  readCertificate: ReadCertificate | undefined,
): JsonObject {
  const file = entry.get(`${name}File`);
  const text = file.exists ? readPemFile(file, readCertificate) : entry.get(name).value;
  return typeof text === 'string' ? { [name]: text.trimEnd().split(/\r?\n/) } : {};
}

function edit(cursor: JsonCursor, change: (value: JsonObject) => JsonObject): unknown {
  return isJsonObject(cursor.value) ? change(cursor.value) : cursor.value;
}
