import type { CoreConfig } from './core-config.js';
import { engineConfig } from './engine-config.js';
import type { ReadCertificate } from './offer/certificate.js';
import { isLocal, isUnixSocket, leadsTo, readFallbackDestinations, readListen } from './offer/fallback.js';
import { fallbackTag, type OfferedInbound, type Protocol } from './offer/offered-inbound.js';
import { readProtocol, readProtocolFields } from './offer/protocol.js';
import { readSecurity } from './offer/security.js';
import { readTransport } from './offer/transport.js';
import { JsonCursor } from './read/json-cursor.js';
import { readPorts } from './read/ports.js';
import { readConfig } from './read/read-json.js';
import { engineWarnings } from './warnings/engine-warnings.js';
import { inboundWarnings } from './warnings/inbound-warnings.js';

export interface CoreConfigOptions {
  /** Inbounds that are not offered to users. */
  readonly excludeTags?: readonly string[];
  /** Inbounds whose fallback children are offered through them, as `child<=>parent`. */
  readonly fallbackTags?: readonly string[];
  /** How certificate and key files are read; without it they are refused. */
  readonly readCertificate?: ReadCertificate;
  /** Of the nodes that run it, where they are known: what newer ones than the pinned 26.3.27 demand is warned of. */
  readonly engineVersions?: readonly string[];
}

/** An inbound on the way: what it offers, and what fallbacks need. */
interface ReadInbound {
  readonly cursor: JsonCursor;
  readonly listen: string;
  readonly inbound: OfferedInbound;
}

/**
 * Checks an engine configuration and extracts its inbounds (contract: "Validation of `config`").
 *
 * @param config an object, or JSON text that may have comments
 * @throws CoreConfigError for the first rule that is broken; UnreadableCoreConfigError where it is no configuration at all
 */
export function parseCoreConfig(config: unknown, options: CoreConfigOptions = {}): CoreConfig {
  const value = readConfig(config);
  const root = new JsonCursor(value);
  const excluded = new Set(options.excludeTags);
  const inbounds = readTagged(root.get('inbounds'), 'inbounds');
  readTagged(root.get('outbounds'), 'outbounds');

  const read = [...inbounds].flatMap(([tag, cursor]) => {
    const protocol = readProtocol(cursor, tag);
    return protocol === undefined || excluded.has(tag) ? [] : [readInbound(cursor, tag, protocol, options)];
  });
  const core: CoreConfig = {
    config: value,
    inbounds: withFallbacks(read, new Set(options.fallbackTags)),
    warnings: [
      ...read.flatMap(({ cursor, inbound }) => inboundWarnings(cursor, inbound, options.engineVersions ?? [])),
      ...engineWarnings(root),
    ],
  };
  // What is accepted can also be sent: key files, and inbounds that are not offered, are checked here.
  engineConfig(core, options.readCertificate);
  return core;
}

/** Tag -> element of `inbounds` or `outbounds` (contract: validation rules 1 to 3). */
function readTagged(list: JsonCursor, name: 'inbounds' | 'outbounds'): Map<string, JsonCursor> {
  if (!Array.isArray(list.value) || list.value.length === 0) list.fail(`config doesn't have ${name}`);
  const tagged = new Map<string, JsonCursor>();
  for (const item of list.items()) {
    const cursor = item.get('tag');
    const tag = cursor.value;
    if (typeof tag !== 'string' || tag === '') return cursor.fail(`all ${name} must have a unique tag`);
    if (tagged.has(tag)) cursor.fail(`all ${name} must have a unique tag: ${tag} stands twice`);
    if (name === 'inbounds' && (tag.includes(',') || tag.includes('<=>'))) {
      cursor.fail(`character «,» is not allowed in inbound tag: ${tag} (neither «,» nor «<=>» may stand in a tag)`);
    }
    tagged.set(tag, item);
  }
  return tagged;
}

function readInbound(
  cursor: JsonCursor,
  tag: string,
  protocol: Protocol,
  { readCertificate }: CoreConfigOptions,
): ReadInbound {
  const listen = readListen(cursor);
  const port = readPorts(cursor.get('port'));
  if (port === undefined) checkPortIsOptional(cursor, listen, tag);
  const streamSettings = cursor.get('streamSettings');
  const stream = { ...readTransport(streamSettings, tag), ...readSecurity(streamSettings, tag, readCertificate) };
  const own = readProtocolFields(protocol, cursor.get('settings'), tag, stream);
  const inbound: OfferedInbound = { tag, isLocal: isLocal(listen), port, parent: undefined, ...stream, ...own };
  return { cursor, listen, inbound };
}

/** A fallback destination without a port of its own can only be a socket, so that two cases remain. */
function checkPortIsOptional(cursor: JsonCursor, listen: string, tag: string): void {
  const hasFallbacks = Array.isArray(cursor.get('settings').get('fallbacks').value);
  if (!hasFallbacks && !isUnixSocket(listen)) cursor.get('port').fail(`${tag} inbound doesn't have port`);
}

/** Adds `child<=>parent` behind each child; a parent whose children are offered is not offered itself. */
function withFallbacks(read: readonly ReadInbound[], parentTags: ReadonlySet<string>): OfferedInbound[] {
  const parents = read
    .filter(({ inbound }) => parentTags.has(inbound.tag))
    .map(({ cursor, inbound }) => ({ inbound, destinations: readFallbackDestinations(cursor), hasChildren: false }));
  const offered: OfferedInbound[] = [];
  for (const child of read) {
    offered.push(child.inbound);
    for (const parent of parents) {
      const target = { listen: child.listen, port: child.inbound.port };
      if (parent.inbound.tag === child.inbound.tag || !leadsTo(parent.destinations, target)) continue;
      parent.hasChildren = true;
      offered.push(throughParent(child.inbound, parent.inbound));
    }
  }
  const replaced = new Set(parents.filter((parent) => parent.hasChildren).map((parent) => parent.inbound.tag));
  return offered.filter((inbound) => !replaced.has(inbound.tag));
}

/** The child's protocol and transport behind the parent's port and security. */
function throughParent(child: OfferedInbound, parent: OfferedInbound): OfferedInbound {
  const { security, sni, alpn, fingerprint, allowInsecure, finalmask, reality } = parent;
  const { certificateSha256, publicKeySha256, verifiedNames } = parent;
  return {
    ...child,
    ...{ security, sni, alpn, fingerprint, allowInsecure, finalmask, reality },
    ...{ certificateSha256, publicKeySha256, verifiedNames },
    tag: fallbackTag(child.tag, parent.tag),
    isLocal: parent.isLocal,
    port: parent.port,
    parent: parent.tag,
  };
}
