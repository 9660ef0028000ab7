import { isObject, type JsonObject, objectAt } from '../json-tree.js';
import { writeOutPrivate } from './private-addresses.js';

const ADDRESS_KEYS = ['expectedIPs', 'expectIPs', 'unexpectedIPs'];

/** The DNS section with addresses written out. A server may be an address alone. */
export function dnsSection(tree: JsonObject): JsonObject {
  const dns = objectAt(tree, 'dns', 'dns');
  const { servers } = dns;
  if (!Array.isArray(servers)) return dns;
  return {
    ...dns,
    servers: servers.map((server: unknown) => (isObject(server) ? writeOutPrivate(server, ADDRESS_KEYS) : server)),
  };
}
