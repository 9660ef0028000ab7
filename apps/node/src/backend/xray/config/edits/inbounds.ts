import { type Inbound, readsAddresses, trustedHeaders } from '@rampart/core-config';
import { type JsonObject, objectAt, objectsAt } from '../json-tree.js';

/**
 * Returns the tree of an inbound with certificates as lists of lines, with whom the engine believes the address of a client, and,
 * where the node keeps the users, without users.
 */
export function editInbound(inbound: Inbound, all: readonly Inbound[], isManaged: boolean): JsonObject {
  const { tree } = inbound;
  const stream = objectAt(tree, 'streamSettings', 'streamSettings');
  const tls = objectAt(stream, 'tlsSettings', 'tlsSettings');
  const edited = {
    ...(tls['certificates'] ? { tlsSettings: inLines(tls) } : {}),
    ...(readsAddresses(inbound) ? { sockopt: withTrustedHeaders(stream, trustedHeaders(inbound, all)) } : {}),
  };
  return {
    ...tree,
    ...(isManaged && tree['settings'] ? { settings: withoutUsers(tree) } : {}),
    ...(Object.keys(edited).length > 0 ? { streamSettings: { ...stream, ...edited } } : {}),
  };
}

function withTrustedHeaders(stream: JsonObject, headers: readonly string[]): JsonObject {
  return { ...objectAt(stream, 'sockopt', 'sockopt'), trustedXForwardedFor: headers };
}

/** Removes `users`, which engines from 26.5 on would add to the clients that the node sets. */
function withoutUsers(tree: JsonObject): JsonObject {
  const { users: _foreign, ...settings } = objectAt(tree, 'settings', 'settings');
  return settings;
}

/** Splits certificates and keys that are one text: the engine reads lists of lines only. */
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
