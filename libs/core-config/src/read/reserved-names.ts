import { CoreConfigError } from './core-config-error.js';

/** Prefix of the tags and users that nodes add to the engine; no text of a configuration may begin with it. */
export const RESERVED_PREFIX = '~rampart-';

/** Whether a name has the prefix that is reserved for nodes. */
export function isReserved(name: string): boolean {
  return name.startsWith(RESERVED_PREFIX);
}

/** @throws CoreConfigError for the first text, or part of a text with commas, that is reserved for nodes */
export function checkReservedNames(value: unknown): void {
  const path = reservedPath(value);
  if (path === undefined) return;
  throw new CoreConfigError(`${path} begins with "${RESERVED_PREFIX}", which is reserved for the node`, path);
}

/** Returns the path of a reserved text in a value; it is put together from its end, so that only errors cost a path. */
function reservedPath(value: unknown): string | undefined {
  if (typeof value === 'string') {
    // The engine reads many texts as lists that are separated by commas.
    const isFound = value.includes(RESERVED_PREFIX) && value.split(',').some((text) => isReserved(text.trim()));
    return isFound ? '' : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const rest = reservedPath(item);
    if (rest === undefined) continue;
    const step = Array.isArray(value) ? `[${key}]` : key;
    return rest === '' || rest.startsWith('[') ? `${step}${rest}` : `${step}.${rest}`;
  }
  return undefined;
}
