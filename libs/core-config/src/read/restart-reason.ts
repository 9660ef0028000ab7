import type { Handover } from './handover.js';
import { isJsonObject, type JsonObject } from './json-cursor.js';
import type { EngineSource } from './read-config.js';

/** What decides whether a running engine can be replaced by one with another configuration. */
export interface ReplacedConfig {
  readonly tree: JsonObject;
  /** How each inbound is handed over, by its tag; an empty tag for inbounds without one. */
  readonly handovers: ReadonlyMap<string, Handover>;
}

/** How each inbound of a configuration is handed over, by its tag. */
export const handoversOf = ({ inbounds }: Pick<EngineSource, 'inbounds'>): ReadonlyMap<string, Handover> =>
  new Map(inbounds.map(({ tag, handover }) => [tag, handover]));

/**
 * Why a change of the configuration restarts the engine, which cuts all its connections; undefined when the new engine can
 * take over from the old one.
 */
export function restartReason(from: ReplacedConfig, to: ReplacedConfig): string | undefined {
  if (from.handovers.has('')) return 'an inbound without a tag cannot be handed over';
  const [before] = tagsWithHandover(from, 'restart');
  const [after] = tagsWithHandover(to, 'restart');
  if (before !== undefined && after !== undefined) {
    return `inbound "${before === after ? before : `${before}" and "${after}`}" cannot be handed over while it serves`;
  }
  if (listensForMetrics(from) && listensForMetrics(to)) return 'metrics.listen cannot be handed over';
  return undefined;
}

/** The tags of the inbounds that are handed over in this way, in the order of the configuration. */
export const tagsWithHandover = ({ handovers }: Pick<ReplacedConfig, 'handovers'>, handover: Handover): string[] =>
  [...handovers].filter(([, kind]) => kind === handover).map(([tag]) => tag);

/** Whether the engine opens a port for metrics, which no API call can close. */
function listensForMetrics({ tree }: ReplacedConfig): boolean {
  const { metrics } = tree;
  return isJsonObject(metrics) && typeof metrics['listen'] === 'string' && metrics['listen'] !== '';
}
