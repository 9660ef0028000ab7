import { foldCase } from './fold-case.js';
import { isJsonObject, type JsonObject } from './json-cursor.js';

/** A setting that would use the machine of the node for more than connections. */
export interface MachineAccess {
  /** The place in the configuration, such as `outbounds[0].streamSettings.tlsSettings.masterKeyLog`. */
  readonly path: string;
  /** What the setting would do, and what to do instead; it reads on behind the path. */
  readonly problem: string;
}

/** Members of the whole configuration, which the pinned engine ignores and newer ones obey. */
const ROOT_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['env', "would change the engine's environment; remove it, and set such variables where the node is started"],
  ['geodata', 'would download files to the node and replace others; remove it, and bring the files there yourself'],
]);

/**
 * Finds settings that would write files on the node's machine, expose its files, or change the machine itself. Files of logs
 * are not among them: nodes have these lines sent to them.
 */
export function* machineAccess(tree: JsonObject): Generator<MachineAccess> {
  for (const [key, value] of Object.entries(tree)) {
    const problem = ROOT_PROBLEMS.get(foldCase(key));
    if (problem !== undefined && value !== null) yield { path: key, problem };
  }
  yield* accessIn(tree, '');
}

function* accessIn(value: unknown, path: string): Generator<MachineAccess> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* accessIn(item, `${path}[${index}]`);
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const itemPath = path === '' ? key : `${path}.${key}`;
      const problem = problemOf(foldCase(key), item);
      if (problem !== undefined) yield { path: itemPath, problem };
      yield* accessIn(item, itemPath);
    }
  }
}

function problemOf(key: string, value: unknown): string | undefined {
  if (key === 'masterkeylog' && typeof value === 'string' && value !== '' && value !== 'none') {
    return 'would write the keys of all connections into a file of the node; remove it';
  }
  if (key === 'masquerade' && isJsonObject(value) && isOfType(value, 'file')) {
    return 'would hand out files of the node to everybody; use the type "proxy" or "string"';
  }
  if (key === 'autosystemroutingtable' && !isEmpty(value)) {
    return 'would change the routes of the node, for its other programs too; remove it';
  }
  if (key === 'finalmask' && isJsonObject(value) && Object.values(value).some(hasIcmp)) {
    return 'has the mask "xicmp", for which the engine would read and answer all pings of the node; remove it';
  }
  return undefined;
}

const hasIcmp = (masks: unknown): boolean =>
  Array.isArray(masks) && masks.some((mask) => isJsonObject(mask) && isOfType(mask, 'xicmp'));

const isEmpty = (value: unknown): boolean =>
  value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0);

function isOfType(object: JsonObject, type: string): boolean {
  return Object.entries(object).some(
    ([name, value]) => foldCase(name) === 'type' && typeof value === 'string' && value.toLowerCase() === type,
  );
}
