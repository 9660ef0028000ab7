import {
  blockedNetworks,
  CoreConfigError,
  type EngineSource,
  type Inbound,
  readConfig,
  UnreadableCoreConfigError,
} from '@rampart/core-config';
import type { BackendConfig } from '../../backend.js';
import { type ApiAccess, readApiAccess } from './api-access.js';
import { isObject, type JsonObject, objectAt, objectsAt, refuse, textAt } from './json-tree.js';

/** The tags of everything through which a connection can leave the engine. */
export interface Exits {
  /** Tags of `outbounds`, in their order. */
  readonly outbounds: readonly string[];
  /** Tags of what becomes an outbound without being in the list: reverse portals and reverse users. */
  readonly extra: readonly string[];
  /** The tag of the outbound that shows metrics, if there is one. */
  readonly metrics: readonly string[];
  /** The tags of `outbounds`, `extra` and `metrics` together. */
  readonly all: ReadonlySet<string>;
}

/** A configuration as it was sent, read once: every check and every edit starts here. */
export interface NodeConfig {
  readonly tree: JsonObject;
  /** All inbounds except the tunnels through which the configuration itself reaches the engine's API. */
  readonly inbounds: readonly Inbound[];
  /** The inbounds whose users stay as the configuration has them. */
  readonly excluded: readonly Inbound[];
  readonly outbounds: readonly JsonObject[];
  readonly routing: JsonObject;
  /** The routing rules without those that lead to the engine's API. */
  readonly rules: readonly JsonObject[];
  readonly balancers: readonly JsonObject[];
  readonly apiServices: readonly string[];
  readonly exits: Exits;
  /** Networks that users must not reach, in CIDR notation; none where the configuration runs as it is written. */
  readonly blockedNetworks: readonly string[];
  /** Private networks that users may reach. */
  readonly allowedNetworks: readonly string[];
  /** `observatory` and `burstObservatory`, where they are given. */
  readonly observers: readonly { readonly key: string; readonly section: JsonObject }[];
}

export const OBSERVATORY = 'observatory';
const OBSERVERS = [OBSERVATORY, 'burstObservatory'];

/** Reads a configuration. Throws CONFIG_REFUSED where its form is wrong, so that the engine could not read it either. */
export function readNodeConfig({ text, excludedInbounds, allowedNetworks }: BackendConfig): NodeConfig {
  const { tree, inbounds: all } = readSource(text);
  const routing = objectAt(tree, 'routing', 'routing');
  const api: ApiAccess = readApiAccess(tree, all, objectsAt(routing, 'rules', 'routing.rules'));
  const inbounds = all.filter((inbound) => !api.tunnels.includes(inbound));
  const excluded = inbounds.filter(({ tag }) => excludedInbounds.includes(tag));
  const outbounds = readOutbounds(tree);
  return {
    ...{ tree, inbounds, excluded, outbounds, routing },
    rules: api.otherRules,
    balancers: objectsAt(routing, 'balancers', 'routing.balancers'),
    apiServices: api.services,
    blockedNetworks: allowedNetworks ? blockedNetworks(allowedNetworks) : [],
    allowedNetworks: allowedNetworks ?? [],
    exits: exitsOf(tree, outbounds, excluded),
    observers: OBSERVERS.filter((key) => tree[key]).map((key) => ({ key, section: objectAt(tree, key, key) })),
  };
}

function readSource(text: string): EngineSource {
  try {
    return readConfig(text);
  } catch (error) {
    if (!(error instanceof CoreConfigError)) throw error;
    const isPlaceless = error instanceof UnreadableCoreConfigError && error.path !== '';
    return refuse(isPlaceless ? `${error.path}: ${error.message}` : error.message);
  }
}

/** Returns the outbounds, or a default one: without any, the engine would send connections to its own API. */
function readOutbounds(tree: JsonObject): JsonObject[] {
  const outbounds = objectsAt(tree, 'outbounds', 'outbounds');
  return outbounds.length > 0 ? outbounds : [{ tag: 'direct', protocol: 'freedom' }];
}

function exitsOf(tree: JsonObject, list: readonly JsonObject[], excluded: readonly Inbound[]): Exits {
  const outbounds = tagsOf(list);
  const extra = extraTags(tree, excluded);
  const metrics = tagsOf([objectAt(tree, 'metrics', 'metrics')]);
  return { outbounds, extra, metrics, all: new Set([...outbounds, ...extra, ...metrics]) };
}

function extraTags(tree: JsonObject, excluded: readonly Inbound[]): string[] {
  const reverse = objectAt(tree, 'reverse', 'reverse');
  const clients = excluded.flatMap((inbound): unknown[] => {
    const { clients: list } = objectAt(inbound.tree, 'settings', 'settings');
    return Array.isArray(list) ? list : [];
  });
  return [
    ...tagsOf(objectsAt(reverse, 'portals', 'reverse.portals')),
    ...tagsOf(clients.filter(isObject).map((client) => objectAt(client, 'reverse', 'reverse'))),
  ];
}

/** Returns the tags of those objects that have one. */
function tagsOf(objects: readonly JsonObject[]): string[] {
  return objects.map((object) => textAt(object, 'tag')).filter((tag) => tag !== '');
}
