import { CoreConfigError } from './core-config-error.js';
import { isJsonObject } from './json-cursor.js';

/** Tags and users that nodes add to the engine begin with this, so no text of a configuration may. */
export const RESERVED_PREFIX = '~rampart-';

/** Whether a name belongs to the node. */
export function isReserved(name: string): boolean {
  return name.startsWith(RESERVED_PREFIX);
}

/** @throws CoreConfigError for the first text, or part of a text with commas, that a node keeps for itself */
export function checkReservedNames(value: unknown, path = ''): void {
  // Many texts are lists with commas to the engine.
  if (typeof value === 'string' && value.split(',').some((text) => isReserved(text.trim()))) {
    throw new CoreConfigError(`${path} begins with "${RESERVED_PREFIX}", which is reserved for the node`, path);
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkReservedNames(item, `${path}[${index}]`);
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) checkReservedNames(item, path === '' ? key : `${path}.${key}`);
  }
}
