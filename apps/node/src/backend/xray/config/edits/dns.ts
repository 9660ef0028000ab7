import { isObject, type JsonObject, objectAt } from '../json-tree.js';
import { writeOutPrivate } from './private-addresses.js';

const ADDRESS_KEYS = ['expectedIPs', 'expectIPs', 'unexpectedIPs'];

/** Returns the DNS section with private addresses written out. A server may be just an address. */
export function dnsSection(tree: JsonObject): JsonObject {
  const dns = objectAt(tree, 'dns', 'dns');
  const { servers } = dns;
  if (!Array.isArray(servers)) return dns;
  return {
    ...dns,
    servers: servers.map((server: unknown) => (isObject(server) ? writeOutPrivate(server, ADDRESS_KEYS) : server)),
  };
}
