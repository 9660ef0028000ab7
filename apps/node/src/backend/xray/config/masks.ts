import { type JsonObject, objectAt, objectsAt, refuse, spellKeys, textAt } from './json-tree.js';

/** The engine's check takes such an inbound, and the engine falls over the first connection to it. */
export function checkMasks(inbound: JsonObject): void {
  const place = `inbound "${textAt(inbound, 'tag')}": streamSettings.finalmask`;
  const stream = objectAt(inbound, 'streamSettings', 'streamSettings');
  if (textAt(stream, 'security').toLowerCase() !== 'reality') return;
  const { tcp } = spellKeys(objectAt(stream, 'finalmask', place), ['tcp'], place);
  if (!Array.isArray(tcp)) return;
  for (const mask of objectsAt({ tcp }, 'tcp', `${place}.tcp`)) {
    if (textAt(spellKeys(mask, ['type'], `${place}.tcp`), 'type').toLowerCase() !== 'fragment') continue;
    refuse(`${place}.tcp: "fragment" beside REALITY ends the engine at the first connection; leave it to clients`);
  }
}
