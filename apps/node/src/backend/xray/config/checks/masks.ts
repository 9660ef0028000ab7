import { type Inbound, isFragment } from '@rampart/core-config';
import { objectAt, objectsAt, refuse } from '../json-tree.js';

/** Throws CONFIG_REFUSED for a mask that passes the engine's own check and crashes the engine at the first connection. */
export function checkMasks({ tag, tree, security }: Inbound): void {
  if (security !== 'reality') return;
  const place = `inbound "${tag}": streamSettings.finalmask`;
  const masks = objectAt(objectAt(tree, 'streamSettings', 'streamSettings'), 'finalmask', place);
  if (!Array.isArray(masks['tcp']) || !objectsAt(masks, 'tcp', `${place}.tcp`).some(isFragment)) return;
  refuse(`${place}.tcp: "fragment" beside REALITY ends the engine at the first connection; leave it to clients`);
}
