import type { Inbound } from '@rampart/core-config';
import { type JsonObject, objectAt, objectsAt } from '../json-tree.js';

/** The tree of an inbound with its certificates in lines and, where the node keeps its users, without any. */
export function editInbound(inbound: Inbound, isExcluded: boolean): JsonObject {
  const { tree } = inbound;
  const stream = objectAt(tree, 'streamSettings', 'streamSettings');
  const tls = objectAt(stream, 'tlsSettings', 'tlsSettings');
  return {
    ...tree,
    ...(!isExcluded && tree['settings'] ? { settings: withoutUsers(tree) } : {}),
    ...(tls['certificates'] ? { streamSettings: { ...stream, tlsSettings: inLines(tls) } } : {}),
  };
}

/** The users of such an inbound are the node's; newer engines would take these for more of them. */
function withoutUsers(tree: JsonObject): JsonObject {
  const { users: _foreign, ...settings } = objectAt(tree, 'settings', 'settings');
  return settings;
}

/** A certificate and its key may be one text each; the engine wants lists of lines. */
function inLines(tls: JsonObject): JsonObject {
  const certificates = objectsAt(tls, 'certificates', 'certificates').map((entry) => {
    const texts = ['certificate', 'key'].flatMap((key): [string, string[]][] => {
      const text = entry[key];
      return typeof text === 'string' ? [[key, text.split(/\r?\n/)]] : [];
    });
    return { ...entry, ...Object.fromEntries(texts) };
  });
  return { ...tls, certificates };
}
