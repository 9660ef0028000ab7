import { foldCase } from '@rampart/core-config';
import type { BackendConfig } from '../../backend.js';
import { type Capability, capabilitiesOf } from './capabilities.js';
import { certificatesOf, type InboundCertificate } from './certificates.js';
import { dnsSection } from './dns.js';
import { checkDistinct, type Endpoint, endpointsOf } from './endpoints.js';
import { checkOwnUsers } from './excluded-inbounds.js';
import { checkFileAccess } from './file-access.js';
import { type GeoList, geoListsOf } from './geo-lists.js';
import { type Handover, handoverOf } from './handover.js';
import { type ManagedInbound, managedInbound, spellInbound } from './inbounds.js';
import { type Json, type JsonObject, objectAt, objectsAt, parseTree, spellKeys, textAt } from './json-tree.js';
import { checkMasks } from './masks.js';
import { checkPatterns } from './patterns.js';
import {
  checkReplaced,
  checkTags,
  editRouting,
  editSelector,
  extraOutboundTags,
  spellRouting,
  tagsOf,
} from './routing.js';
import { logSection, metricsSection, policySection, takeOverApi } from './sections.js';
import { checkBalancers, checkChains, checkObserved, checkRuleTargets } from './targets.js';

/** A configuration that is ready for the engine but for what differs from run to run: users and the way to the API. */
export interface EnginePlan {
  readonly tree: JsonObject;
  readonly apiServices: readonly string[];
  /** By tag. */
  readonly inbounds: ReadonlyMap<string, ManagedInbound>;
  readonly endpoints: readonly Endpoint[];
  /** Of every inbound by its tag, managed or not; those without a tag stand under "". */
  readonly handovers: ReadonlyMap<string, Handover>;
  /** Of TLS inbounds; those in files are not read yet. */
  readonly certificates: readonly InboundCertificate[];
  /** What rules take from files beside the engine. */
  readonly geoLists: readonly GeoList[];
  /** What the kernel must let the engine do. */
  readonly capabilities: readonly Capability[];
}

const TOP_KEYS = ['log', 'api', 'stats', 'policy', 'routing', 'inbounds', 'outbounds', 'reverse', 'metrics', 'dns'];
const OBSERVATORY = 'observatory';
const OBSERVERS = [OBSERVATORY, 'burstObservatory'];
const OBSERVATORY_SERVICE = 'ObservatoryService';

/** Edits the tree that came in, so that keys that we do not know survive. CONFIG_REFUSED for what we can see is wrong. */
export function planConfig({ text, excludedInbounds }: BackendConfig): EnginePlan {
  const given = spellKeys(parseTree(text), [...TOP_KEYS, ...OBSERVERS], 'the configuration');
  checkFileAccess(given);
  checkPatterns(given);
  const spelled = objectsAt(given, 'inbounds', 'inbounds').map((inbound, index) =>
    spellInbound(inbound, `inbounds[${index}]`),
  );
  checkTags('inbounds', spelled);
  for (const inbound of spelled) checkMasks(inbound);
  const { tree, services } = takeOverApi(given, spelled, spellRouting(given));

  const excluded = new Set(excludedInbounds);
  const kept = objectsAt(tree, 'inbounds', 'inbounds');
  const own = kept.filter((inbound) => excluded.has(textAt(inbound, 'tag')));
  for (const inbound of own) checkOwnUsers(inbound);
  const managed = kept.filter((inbound) => !own.includes(inbound)).flatMap((inbound) => managedInbound(inbound) ?? []);
  const managedInbounds = new Map(managed.map((inbound) => [inbound.tag, inbound]));
  const inbounds = kept.map((inbound) =>
    managedInbounds.has(textAt(inbound, 'tag')) ? withoutUsers(inbound) : inbound,
  );

  const outbounds = outboundsOf(tree);
  const metrics = metricsSection(tree);
  const outboundTags = tagsOf(outbounds);
  const extraTags = extraOutboundTags(tree, own.flatMap(clientsOf));
  const metricsTags = tagsOf([metrics]);
  checkReplaced(outboundTags, [...extraTags, ...metricsTags]);
  const routing = editRouting(objectAt(tree, 'routing', 'routing'), [...outboundTags, ...extraTags]);
  const targets = new Set([...outboundTags, ...extraTags, ...metricsTags]);
  checkRuleTargets(routing, targets);
  checkTags('routing.balancers', objectsAt(routing, 'balancers', 'routing.balancers'));
  checkBalancers(routing, targets);
  checkChains(outbounds, targets);
  const endpoints = inbounds.flatMap(endpointsOf);
  checkDistinct(endpoints);

  const observers = OBSERVERS.filter((key) => tree[key]).map((key) => {
    const section = spellKeys(objectAt(tree, key, key), ['subjectSelector', 'enableConcurrency'], key);
    const observer = editSelector(section, 'subjectSelector', outboundTags);
    if (key === OBSERVATORY) checkObserved(observer, targets);
    return [key, observer];
  });
  const planned: JsonObject = {
    ...tree,
    log: logSection(tree),
    stats: objectAt(tree, 'stats', 'stats'),
    policy: policySection(tree),
    inbounds,
    outbounds,
    routing,
    ...(tree['dns'] ? { dns: dnsSection(tree) } : {}),
    ...(tree['metrics'] ? { metrics } : {}),
    ...Object.fromEntries(observers),
  };
  return {
    tree: planned,
    apiServices: observers.length === 0 ? services : withObservatory(services),
    inbounds: managedInbounds,
    endpoints,
    handovers: new Map(inbounds.map((inbound) => [textAt(inbound, 'tag'), handoverOf(inbound)])),
    certificates: inbounds.flatMap(certificatesOf),
    geoLists: geoListsOf(planned),
    capabilities: capabilitiesOf(planned),
  };
}

/** With none at all the engine would take its own API for the way out. */
function outboundsOf(tree: JsonObject): JsonObject[] {
  const outbounds = objectsAt(tree, 'outbounds', 'outbounds').map((outbound, index) =>
    spellKeys(outbound, ['tag', 'protocol'], `outbounds[${index}]`),
  );
  checkTags('outbounds', outbounds);
  return outbounds.length > 0 ? outbounds : [{ tag: 'direct', protocol: 'freedom' }];
}

/** Tells the latencies that an observatory measures; without one the engine would not start with it. */
function withObservatory(services: readonly string[]): readonly string[] {
  return services.some((service) => foldCase(service) === foldCase(OBSERVATORY_SERVICE))
    ? services
    : [...services, OBSERVATORY_SERVICE];
}

/** The users of a managed inbound are the node's; newer engines would take these for more of them. */
function withoutUsers(inbound: JsonObject): JsonObject {
  const { users: _foreign, ...settings } = objectAt(inbound, 'settings', 'settings');
  return { ...inbound, settings };
}

function clientsOf(inbound: JsonObject): Json[] {
  const { clients } = objectAt(inbound, 'settings', 'settings');
  return Array.isArray(clients) ? clients : [];
}
