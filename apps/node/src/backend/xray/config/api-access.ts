import { foldCase, type Inbound } from '@rampart/core-config';
import { type JsonObject, objectAt, textAt, textsAt } from './json-tree.js';

const API_SERVICES = ['HandlerService', 'StatsService', 'RoutingService', 'LoggerService'];
const OBSERVATORY_SERVICE = 'ObservatoryService';
const TUNNELS = ['dokodemo-door', 'tunnel'];

/** The access to the engine's API that a configuration defines. The node replaces it, so that nobody else has access. */
export interface ApiAccess {
  /** The services that the node needs, and those that the configuration asks for. */
  readonly services: readonly string[];
  /** Inbounds that lead to the API. */
  readonly tunnels: readonly Inbound[];
  /** The routing rules that do not lead to the API. */
  readonly otherRules: readonly JsonObject[];
}

export function readApiAccess(tree: JsonObject, inbounds: readonly Inbound[], rules: readonly JsonObject[]): ApiAccess {
  const api = objectAt(tree, 'api', 'api');
  const tag = textAt(api, 'tag');
  const toApi = tag === '' ? [] : rules.filter((rule) => textAt(rule, 'outboundTag') === tag);
  const entrances = new Set(toApi.flatMap((rule) => textsAt(rule, 'inboundTag')));
  return {
    services: once([...API_SERVICES, ...textsAt(api, 'services')]),
    tunnels: inbounds.filter((inbound) => entrances.has(inbound.tag) && TUNNELS.includes(inbound.protocol)),
    otherRules: rules.filter((rule) => !toApi.includes(rule)),
  };
}

/** Adds the service that reports latencies. The engine starts with it only where the configuration has an observatory. */
export function withObservatory(services: readonly string[]): readonly string[] {
  return once([...services, OBSERVATORY_SERVICE]);
}

/** Drops names that differ from an earlier one in case alone: the engine ends when a service is named twice. */
function once(names: readonly string[]): string[] {
  return names.filter((name, index) => names.findIndex((other) => foldCase(other) === foldCase(name)) === index);
}
