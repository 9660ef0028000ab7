import { foldCase } from '@rampart/core-config';
import { geoListsOf } from '../geo-lists.js';
import { isObject, type JsonObject, refuse, textAt } from '../json-tree.js';

/**
 * Throws CONFIG_REFUSED for settings that would write files on the node's machine or expose its files. Log files are not
 * refused: an edit sends their lines to the node.
 */
export function checkFileAccess(value: unknown, path = ''): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkFileAccess(item, `${path}[${index}]`);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const itemPath = path === '' ? key : `${path}.${key}`;
      checkKey(foldCase(key), item, itemPath);
      checkFileAccess(item, itemPath);
    }
  }
}

function checkKey(key: string, value: unknown, path: string): void {
  if (key === 'masterkeylog' && typeof value === 'string' && value !== '' && value !== 'none') {
    refuse(`${path} would write the keys of all connections into a file of the node; remove it`);
  }
  if (key === 'masquerade' && isObject(value) && hasText(value, 'type', 'file')) {
    refuse(`${path} would hand out files of the node to everybody; use the type "proxy" or "string"`);
  }
}

function hasText(object: JsonObject, key: string, text: string): boolean {
  return Object.keys(object).some((name) => foldCase(name) === key && textAt(object, name).toLowerCase() === text);
}

/** Throws CONFIG_REFUSED for a list in a geo file outside of the directory where the engine looks for geo files. */
export function checkGeoFiles(tree: JsonObject): void {
  const outside = geoListsOf(tree).find(({ file }) => file.split('/').includes('..'));
  if (outside !== undefined) refuse(`${outside.path}: "${outside.text}" leads out of the directory of geo files`);
}
