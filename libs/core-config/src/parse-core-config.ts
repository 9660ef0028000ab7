import type { CoreConfig, RefusedInbound } from './core-config.js';
import { engineConfig } from './engine-config.js';
import type { ReadCertificate } from './offer/certificate.js';
import { withFallbacks } from './offer/fallback.js';
import { offerInbound } from './offer/offer-inbound.js';
import type { Protocol } from './offer/offered-inbound.js';
import { readProtocol } from './offer/protocol.js';
import { attempt, lenient } from './read/attempt.js';
import { CoreConfigError, UnreadableCoreConfigError } from './read/core-config-error.js';
import { type Inbound, readInbound } from './read/inbound.js';
import { JsonCursor, type JsonObject } from './read/json-cursor.js';
import { CONFIG_KEYS, INBOUND_KEYS } from './read/known-keys.js';
import { checkSections, spellConfig } from './read/read-config.js';
import { readJson } from './read/read-json.js';
import { checkReservedNames } from './read/reserved-names.js';
import { spellKeys } from './read/spell-keys.js';
import { addressWarnings } from './warnings/address-warnings.js';
import { engineWarnings } from './warnings/engine-warnings.js';
import { exitWarnings } from './warnings/exit-warnings.js';
import { faultWarnings } from './warnings/fault-warnings.js';
import { inboundWarnings } from './warnings/inbound-warnings.js';
import { socketWarnings } from './warnings/socket-warnings.js';
import { trialWarnings } from './warnings/trial-warnings.js';

export interface CoreConfigOptions {
  /** Tags of inbounds that are not offered to users. */
  readonly excludeTags?: readonly string[];
  /** Tags of inbounds whose fallback children are offered through them, as `child<=>parent`. */
  readonly fallbackTags?: readonly string[];
  /** Reads certificate and key files; without it a configuration that names files is refused. */
  readonly readCertificate?: ReadCertificate;
  /** Known versions of the engines that run the configuration; they decide on warnings about demands of newer engines. */
  readonly engineVersions?: readonly string[];
  /**
   * Whether the configuration was accepted and stored before. An inbound that breaks a rule of form (which may be newer
   * than the configuration) is then left out and named in `refused`, and everything else is read.
   */
  readonly isStored?: boolean;
}

/** An element of `inbounds` with a protocol that users get. */
interface UserInbound {
  readonly tag: string;
  readonly protocol: Protocol;
  /** A cursor at the element, whose keys have the engine's spelling. */
  readonly cursor: JsonCursor;
  /** Whether every known key was sent in the engine's spelling. */
  readonly isSpelledWell: boolean;
}

/**
 * Checks an engine configuration and extracts what its inbounds offer (contract: "Validation of `config`").
 *
 * @param config an object, or JSON text that may have comments
 * @throws CoreConfigError for the first rule that is broken; UnreadableCoreConfigError where it is no configuration at all
 */
export function parseCoreConfig(config: unknown, options: CoreConfigOptions = {}): CoreConfig {
  const { isStored = false, engineVersions = [] } = options;
  const value = readJson(config);
  if (Object.keys(value).length === 0) throw new UnreadableCoreConfigError('config cannot be empty', '');
  if (!isStored) spellKeys(value, CONFIG_KEYS, '', 'refuse');
  const tree = spellConfig(value, 'keep');
  const root = new JsonCursor(tree);
  const userInbounds = readUserInbounds(value, root);
  if (!isStored) {
    checkReservedNames(tree);
    checkSections(root);
  }

  const excluded = new Set(options.excludeTags);
  const refused: RefusedInbound[] = [];
  const offers = userInbounds.flatMap((user) => {
    const form = attempt(() => readForm(user.cursor));
    if (form instanceof CoreConfigError) return refuse(user, form, isStored, refused);
    if (excluded.has(user.tag)) return [];
    const offered = attempt(() => offerInbound(user.cursor, form, user.protocol, options.readCertificate));
    if (!(offered instanceof CoreConfigError)) return [{ cursor: user.cursor, inbound: form, offered }];
    // Keys in the engine's spelling were read in the same way when the inbound was stored, so this rule is not a new one.
    return refuse(user, offered, isStored && !user.isSpelledWell, refused);
  });
  const all = root
    .get('inbounds')
    .items()
    .flatMap((cursor) => lenient(() => readInbound(cursor)) ?? []);
  const offered = offers.map(({ inbound }) => inbound.tag);
  const core: CoreConfig = {
    ...{ config: value, tree, refused },
    inbounds: withFallbacks(offers, new Set(options.fallbackTags)),
    warnings: [
      ...offers.flatMap(({ cursor, offered }) => inboundWarnings(cursor, offered, engineVersions)),
      ...offers.flatMap(({ inbound, offered }) => addressWarnings(inbound, offered, all, engineVersions)),
      ...engineWarnings(root),
      ...exitWarnings(root, offered),
      ...socketWarnings(root, all),
      ...faultWarnings(root, all, offered),
      ...trialWarnings(offers),
    ],
  };
  // Building the configuration for a node also checks key files and inbounds that are not offered.
  engineConfig(core, options.readCertificate);
  return core;
}

/** Reads an inbound. @throws CoreConfigError also for a key in two spellings, of which the tree keeps both */
function readForm(cursor: JsonCursor): Inbound {
  spellKeys(cursor.value, INBOUND_KEYS, cursor.path, 'refuse');
  return readInbound(cursor);
}

/** Notes that a stored inbound is left out; throws the error where the configuration is being saved. */
function refuse({ tag }: UserInbound, error: CoreConfigError, isStored: boolean, refused: RefusedInbound[]): never[] {
  if (!isStored) throw error;
  refused.push({ tag, path: error.path, message: error.message });
  return [];
}

/** Returns the inbounds whose protocols users get, after checking all tags (contract: validation rules 1 to 3, 5). */
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

/** Returns the elements of `inbounds` or `outbounds` by their tags (contract: validation rules 1 to 3). */
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
