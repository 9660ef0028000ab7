import { isObject, type JsonObject, objectAt } from '../json-tree.js';
import { NO_SUCH_NAME } from '../private/dns.js';
import { valueAt, withMembers } from '../private/folded.js';
import { writeOutPrivate } from './private-addresses.js';

const ADDRESS_KEYS = ['expectedIPs', 'expectIPs', 'unexpectedIPs'];

/**
 * Names with more bytes than one can have, and those outside of ASCII, of which a pattern cannot count the bytes. The engine ends
 * when it is to ask a server for a name of more than 254 bytes, whoever sent it; hosts are read before any server is asked.
 */
const NO_NAME = 'regexp:^.{254}|[^!-~]';

/** Returns the DNS section, whose servers are asked for names alone, with private addresses written out. A server may be just an address. */
export function dnsSection(tree: JsonObject): JsonObject {
  const dns = withoutLongNames(objectAt(tree, 'dns', 'dns'));
  const { servers } = dns;
  if (!Array.isArray(servers)) return dns;
  return {
    ...dns,
    servers: servers.map((server: unknown) => (isObject(server) ? writeOutPrivate(server, ADDRESS_KEYS) : server)),
  };
}

function withoutLongNames(dns: JsonObject): JsonObject {
  const hosts = valueAt(dns, 'hosts') ?? {};
  // What the engine does not know is left to its own check.
  return isObject(hosts) ? withMembers(dns, { hosts: { ...hosts, [NO_NAME]: NO_SUCH_NAME } }) : dns;
}
