import type { CoreConfig, RefusedInbound } from './core-config.js';
import { engineConfig } from './engine-config.js';
import type { ReadCertificate } from './offer/certificate.js';
import { withFallbacks } from './offer/fallback.js';
import { offerInbound } from './offer/offer-inbound.js';
import type { Protocol } from './offer/offered-inbound.js';
import { readProtocol } from './offer/protocol.js';
import { attempt } from './read/attempt.js';
import { CoreConfigError, UnreadableCoreConfigError } from './read/core-config-error.js';
import { readInbound } from './read/inbound.js';
import { JsonCursor, type JsonObject } from './read/json-cursor.js';
import { CONFIG_KEYS, INBOUND_KEYS } from './read/known-keys.js';
import { checkSections, spellConfig } from './read/read-config.js';
import { readJson } from './read/read-json.js';
import { checkReservedNames } from './read/reserved-names.js';
import { spellKeys } from './read/spell-keys.js';
import { engineWarnings } from './warnings/engine-warnings.js';
import { inboundWarnings } from './warnings/inbound-warnings.js';

export interface CoreConfigOptions {
  /** Inbounds that are not offered to users. */
  readonly excludeTags?: readonly string[];
  /** Inbounds whose fallback children are offered through them, as `child<=>parent`. */
  readonly fallbackTags?: readonly string[];
  /** How certificate and key files are read; without it they are refused. */
  readonly readCertificate?: ReadCertificate;
  /** Versions of the engines that run it, where they are known: what newer ones than the pinned 26.3.27 demand is warned of. */
  readonly engineVersions?: readonly string[];
  /**
   * Whether the configuration was accepted and stored before. An inbound that breaks a rule of form, which may be newer
   * than it is, is then left out and named in `refused`, and everything else is read.
   */
  readonly isStored?: boolean;
}

/** An element of `inbounds` whose protocol users get. */
interface UserInbound {
  readonly tag: string;
  readonly protocol: Protocol;
  /** At the element, with the engine's spelling of keys. */
  readonly cursor: JsonCursor;
  /** Whether every key that is looked at came in the engine's spelling. */
  readonly isSpelledWell: boolean;
}

/**
 * Checks an engine configuration and extracts what its inbounds offer (contract: "Validation of `config`").
 *
 * @param config an object, or JSON text that may have comments
 * @throws CoreConfigError for the first rule that is broken; UnreadableCoreConfigError where it is no configuration at all
 */
export function parseCoreConfig(config: unknown, options: CoreConfigOptions = {}): CoreConfig {
  const { isStored = false } = options;
  const value = readJson(config);
  if (Object.keys(value).length === 0) throw new UnreadableCoreConfigError('config cannot be empty', '');
  if (!isStored) spellKeys(value, CONFIG_KEYS, '', 'refuse');
  const tree = spellConfig(value, 'keep');
  const root = new JsonCursor(tree);
  const userInbounds = readUserInbounds(value, root);
  if (!isStored) {
    checkReservedNames(tree);
    checkSections(root);
    for (const { cursor } of userInbounds) spellKeys(cursor.value, INBOUND_KEYS, cursor.path, 'refuse');
  }

  const excluded = new Set(options.excludeTags);
  const refused: RefusedInbound[] = [];
  const offers = userInbounds.flatMap((user) => {
    const form = attempt(() => readInbound(user.cursor));
    if (form instanceof CoreConfigError) return refuse(user, form, isStored, refused);
    if (excluded.has(user.tag)) return [];
    const offered = attempt(() => offerInbound(user.cursor, form, user.protocol, options.readCertificate));
    if (!(offered instanceof CoreConfigError)) return [{ cursor: user.cursor, inbound: form, offered }];
    // What is spelled as the engine spells it was read like this when it was stored.
    return refuse(user, offered, isStored && !user.isSpelledWell, refused);
  });
  const core: CoreConfig = {
    ...{ config: value, tree, refused },
    inbounds: withFallbacks(offers, new Set(options.fallbackTags)),
    warnings: [
      ...offers.flatMap(({ cursor, offered }) => inboundWarnings(cursor, offered, options.engineVersions ?? [])),
      ...engineWarnings(root),
    ],
  };
  // What is accepted can also be sent: key files, and inbounds that are not offered, are checked here.
  engineConfig(core, options.readCertificate);
  return core;
}

/** Tells of a stored inbound that it is left out; anything else that is refused is an error. */
function refuse({ tag }: UserInbound, error: CoreConfigError, isStored: boolean, refused: RefusedInbound[]): never[] {
  if (!isStored) throw error;
  refused.push({ tag, path: error.path, message: error.message });
  return [];
}

/** Inbounds of protocols that users get, after the tags of all are checked (contract: validation rules 1 to 3, 5). */
function readUserInbounds(value: JsonObject, root: JsonCursor): UserInbound[] {
  const inbounds = readTagged(root.get('inbounds'), 'inbounds');
  readTagged(root.get('outbounds'), 'outbounds');
  const { inbounds: sent } = spellKeys(value, CONFIG_KEYS, '', 'keep') as JsonObject;
  const asSent = new Set<unknown>(Array.isArray(sent) ? sent : []);
  return [...inbounds].flatMap(([tag, cursor]) => {
    const protocol = readProtocol(cursor, tag);
    return protocol === undefined ? [] : [{ tag, protocol, cursor, isSpelledWell: asSent.has(cursor.value) }];
  });
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
