import { type Inbound, readInbound } from './inbound.js';
import { JsonCursor, type JsonObject } from './json-cursor.js';
import { CONFIG_KEYS, INBOUND_KEYS } from './known-keys.js';
import { readJson } from './read-json.js';
import { checkReservedNames } from './reserved-names.js';
import { spellKeys, type TwicePolicy } from './spell-keys.js';

/** A configuration as the engine reads it. */
export interface EngineSource {
  /** The configuration as JSON. Known keys have the engine's spelling; unknown keys are unchanged. */
  readonly tree: JsonObject;
  /** All inbounds, in the order of the configuration. */
  readonly inbounds: readonly Inbound[];
}

/**
 * Reads a configuration in the engine's language. Refuses what the engine could not read, or would read differently from
 * this reader. An empty configuration is valid.
 *
 * @param config an object, or JSON text that may have the engine's comments
 * @throws UnreadableCoreConfigError for anything but a JSON object that can be walked safely; CoreConfigError for its form
 */
export function readConfig(config: unknown): EngineSource {
  const tree = spellConfig(readJson(config), 'refuse');
  const root = new JsonCursor(tree);
  checkReservedNames(tree);
  checkSections(root);
  return { tree, inbounds: root.get('inbounds').objects().map(readInbound) };
}

/** Gives all known keys of a configuration the engine's spelling. Returns the same object where nothing changes. */
export function spellConfig(config: JsonObject, twice: TwicePolicy): JsonObject {
  const spelled = spellKeys(config, CONFIG_KEYS, '', twice) as JsonObject;
  const inbounds = spellKeys(spelled['inbounds'], INBOUND_KEYS, 'inbounds', twice);
  return inbounds === spelled['inbounds'] ? spelled : { ...spelled, inbounds };
}

const SECTIONS = [
  ...['log', 'api', 'stats', 'policy', 'routing', 'reverse', 'metrics', 'dns'],
  ...['observatory', 'burstObservatory'],
];

/** @throws CoreConfigError where a section beside the inbounds is of another kind than the engine reads */
export function checkSections(root: JsonCursor): void {
  for (const name of SECTIONS) root.get(name).object();
  const [routing, policy] = [root.get('routing'), root.get('policy')];
  for (const section of [policy.get('levels').get('0'), policy.get('system'), root.get('dns').get('hosts')])
    section.object();
  const reverse = root.get('reverse');
  const lists = [root.get('outbounds'), routing.get('rules'), routing.get('balancers'), reverse.get('portals')];
  for (const list of lists) list.objects();
}
