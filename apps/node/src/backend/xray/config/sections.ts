import { foldCase } from '@rampart/core-config';
import { type JsonObject, objectAt, objectsAt, refuse, spellKeys, textAt, textsAt } from './json-tree.js';

const API_SERVICES = ['HandlerService', 'StatsService', 'RoutingService', 'LoggerService'];
const TUNNELS = ['dokodemo-door', 'tunnel'];

/** To the standard output, where the node reads it, or nowhere: a configuration writes no files. */
export function logSection(tree: JsonObject): JsonObject {
  if (tree['log'] === undefined || tree['log'] === null) return { access: 'none', loglevel: 'warning' };
  const { access, error, ...others } = spellKeys(objectAt(tree, 'log', 'log'), ['access', 'error', 'loglevel'], 'log');
  return { ...others, ...(access === 'none' ? { access } : {}), ...(error === 'none' ? { error } : {}) };
}

/** Counts what the node reports; who is online too, unless the configuration says no. */
export function policySection(tree: JsonObject): JsonObject {
  const policy = spellKeys(objectAt(tree, 'policy', 'policy'), ['levels', 'system'], 'policy');
  const levels = objectAt(policy, 'levels', 'policy.levels');
  const userKeys = ['statsUserUplink', 'statsUserDownlink', 'statsUserOnline'];
  const level = spellKeys(objectAt(levels, '0', 'policy.levels.0'), userKeys, 'policy.levels.0');
  const systemKeys = ['statsInboundUplink', 'statsInboundDownlink', 'statsOutboundUplink', 'statsOutboundDownlink'];
  const system = spellKeys(objectAt(policy, 'system', 'policy.system'), systemKeys, 'policy.system');
  return {
    ...policy,
    levels: {
      ...levels,
      '0': {
        ...level,
        statsUserUplink: true,
        statsUserDownlink: true,
        statsUserOnline: level['statsUserOnline'] ?? true,
      },
    },
    system: { ...system, ...Object.fromEntries(systemKeys.map((key) => [key, true])) },
  };
}

/** CONFIG_REFUSED for a listener of the engine's own that asks nobody who they are. */
export function metricsSection(tree: JsonObject): JsonObject {
  const metrics = spellKeys(objectAt(tree, 'metrics', 'metrics'), ['tag', 'listen'], 'metrics');
  if (textAt(metrics, 'listen') === '') return metrics;
  return refuse(
    'metrics.listen would show users and traffic to everybody who reaches it; remove it, the node tells both',
  );
}

export interface UserApi {
  /** What the node needs and what the configuration asks for besides. */
  readonly services: string[];
  /** The tree without the configuration's own way to the API: its rules and the tunnels that they serve. */
  readonly tree: JsonObject;
}

/** The API is reached by the node alone: a way of the user's own to it goes, the services that it asks for stay. */
export function takeOverApi(tree: JsonObject, inbounds: readonly JsonObject[], routing: JsonObject): UserApi {
  const api = spellKeys(objectAt(tree, 'api', 'api'), ['tag', 'services', 'listen'], 'api');
  const asked = [...API_SERVICES, ...textsAt(api, 'services')];
  // Each once: the engine ends when a service is there twice.
  const services = asked.filter(
    (name, index) => asked.findIndex((other) => foldCase(other) === foldCase(name)) === index,
  );
  const tag = textAt(api, 'tag');
  const rules = objectsAt(routing, 'rules', 'routing.rules');
  const toApi = tag === '' ? [] : rules.filter((rule) => textAt(rule, 'outboundTag') === tag);
  const entrances = new Set(toApi.flatMap((rule) => textsAt(rule, 'inboundTag')));
  const isEntrance = (inbound: JsonObject) =>
    entrances.has(textAt(inbound, 'tag')) && TUNNELS.includes(textAt(inbound, 'protocol').toLowerCase());
  return {
    services,
    tree: {
      ...tree,
      inbounds: inbounds.filter((inbound) => !isEntrance(inbound)),
      routing: { ...routing, rules: rules.filter((rule) => !toApi.includes(rule)) },
    },
  };
}
