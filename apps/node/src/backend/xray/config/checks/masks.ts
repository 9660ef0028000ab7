import { type Inbound, isFragment } from '@rampart/core-config';
import { objectAt, objectsAt, refuse } from '../json-tree.js';

/** CONFIG_REFUSED for a mask that the engine's check accepts and that crashes the engine at the first connection. */
export function checkMasks({ tag, tree, security }: Inbound): void {
  if (security !== 'reality') return;
  const place = `inbound "${tag}": streamSettings.finalmask`;
  const masks = objectAt(objectAt(tree, 'streamSettings', 'streamSettings'), 'finalmask', place);
  if (!Array.isArray(masks['tcp']) || !objectsAt(masks, 'tcp', `${place}.tcp`).some(isFragment)) return;
  refuse(`${place}.tcp: "fragment" beside REALITY ends the engine at the first connection; leave it to clients`);
}
