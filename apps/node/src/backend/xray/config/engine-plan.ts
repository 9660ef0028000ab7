import type { BackendConfig } from '../../backend.js';
import { checkDistinct, type Endpoint, endpointsOf } from './endpoints.js';
import { type ManagedInbound, managedInbound, spellInbound } from './inbounds.js';
import { type Json, type JsonObject, objectAt, objectsAt, parseTree, spellKeys, textAt } from './json-tree.js';
import { checkRuleTargets, editRouting, editSelector, extraOutboundTags, spellRouting } from './routing.js';
import { logSection, policySection, takeOverApi } from './sections.js';

/** A configuration that is ready for the engine but for what differs from run to run: users and the way to the API. */
export interface EnginePlan {
  readonly tree: JsonObject;
  readonly apiServices: readonly string[];
  /** By tag. */
  readonly inbounds: ReadonlyMap<string, ManagedInbound>;
  readonly endpoints: readonly Endpoint[];
}

const TOP_KEYS = ['log', 'api', 'stats', 'policy', 'routing', 'inbounds', 'outbounds', 'reverse', 'metrics'];
const OBSERVERS = ['observatory', 'burstObservatory'];

/** Edits the tree that came in, so that keys that we do not know survive. CONFIG_REFUSED for what we can see is wrong. */
export function planConfig({ text, excludedInbounds }: BackendConfig): EnginePlan {
  const given = spellKeys(parseTree(text), [...TOP_KEYS, ...OBSERVERS], 'the configuration');
  const spelled = objectsAt(given, 'inbounds', 'inbounds').map((inbound, index) =>
    spellInbound(inbound, `inbounds[${index}]`),
  );
  const { tree, services } = takeOverApi(given, spelled, spellRouting(given));

  const excluded = new Set(excludedInbounds);
  const allInbounds = objectsAt(tree, 'inbounds', 'inbounds');
  const managed = allInbounds
    .filter((inbound) => !excluded.has(textAt(inbound, 'tag')))
    .flatMap((inbound) => managedInbound(inbound) ?? []);
  const outbounds = outboundsOf(tree);
  const outboundTags = outbounds.map((outbound) => textAt(outbound, 'tag')).filter((tag) => tag !== '');
  const foreignClients = allInbounds.filter((inbound) => excluded.has(textAt(inbound, 'tag'))).flatMap(clientsOf);
  const extraTags = extraOutboundTags(tree, foreignClients);
  const routing = editRouting(objectAt(tree, 'routing', 'routing'), [...outboundTags, ...extraTags]);
  checkRuleTargets(routing, new Set([...outboundTags, ...extraTags]));
  const endpoints = allInbounds.flatMap(endpointsOf);
  checkDistinct(endpoints);

  const observers = OBSERVERS.filter((key) => tree[key]).map((key) => {
    const section = spellKeys(objectAt(tree, key, key), ['subjectSelector'], key);
    return [key, editSelector(section, 'subjectSelector', outboundTags)];
  });
  return {
    tree: {
      ...tree,
      log: logSection(tree),
      stats: objectAt(tree, 'stats', 'stats'),
      policy: policySection(tree),
      routing,
      outbounds,
      ...Object.fromEntries(observers),
    },
    apiServices: services,
    inbounds: new Map(managed.map((inbound) => [inbound.tag, inbound])),
    endpoints,
  };
}

/** With none at all the engine would take its own API for the way out. */
function outboundsOf(tree: JsonObject): JsonObject[] {
  const outbounds = objectsAt(tree, 'outbounds', 'outbounds').map((outbound, index) =>
    spellKeys(outbound, ['tag', 'protocol'], `outbounds[${index}]`),
  );
  return outbounds.length > 0 ? outbounds : [{ tag: 'direct', protocol: 'freedom' }];
}

function clientsOf(inbound: JsonObject): Json[] {
  const { clients } = objectAt(inbound, 'settings', 'settings');
  return Array.isArray(clients) ? clients : [];
}
