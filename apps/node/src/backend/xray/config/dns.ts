import { isObject, type JsonObject, objectAt, spellKeys } from './json-tree.js';
import { writeOutPrivate } from './private-addresses.js';

const ADDRESS_KEYS = ['expectedIPs', 'expectIPs', 'unexpectedIPs'];

/** The DNS section with addresses written out. A server may be an address alone. */
export function dnsSection(tree: JsonObject): JsonObject {
  const dns = spellKeys(objectAt(tree, 'dns', 'dns'), ['servers', 'hosts'], 'dns');
  const { servers } = dns;
  if (!Array.isArray(servers)) return dns;
  return {
    ...dns,
    servers: servers.map((server, index) =>
      isObject(server)
        ? writeOutPrivate(spellKeys(server, [...ADDRESS_KEYS, 'domains'], `dns.servers[${index}]`), ADDRESS_KEYS)
        : server,
    ),
  };
}
