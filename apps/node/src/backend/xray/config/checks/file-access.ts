import { machineAccess } from '@rampart/core-config';
import { geoListsOf } from '../geo-lists.js';
import { type JsonObject, refuse } from '../json-tree.js';

/** Throws CONFIG_REFUSED for the first setting that would use the node's machine for more than connections. */
export function checkMachineAccess(tree: JsonObject): void {
  for (const { path, problem } of machineAccess(tree)) refuse(`${path} ${problem}`);
}

/** Throws CONFIG_REFUSED for a list in a geo file outside of the directory where the engine looks for geo files. */
export function checkGeoFiles(tree: JsonObject): void {
  const outside = geoListsOf(tree).find(({ file }) => file.split('/').includes('..'));
  if (outside !== undefined) refuse(`${outside.path}: "${outside.text}" leads out of the directory of geo files`);
}
