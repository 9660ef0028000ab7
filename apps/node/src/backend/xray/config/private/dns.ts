import { networksHave } from '@rampart/core-config';
import { isObject, type JsonObject, objectAt } from '../json-tree.js';
import { innerAt, valueAt, withMembers, wordAt } from './folded.js';

/** The resolver of the machine. */
const SYSTEM = 'localhost';
const FAKE = 'fakedns';
/** The answer that a name does not exist. */
export const NO_SUCH_NAME = '#3';

/** The DNS section of which no answer has a blocked address: outbounds dial what it answers. */
export function filteredDns(tree: JsonObject, blocked: readonly string[]): JsonObject {
  const dns = objectAt(tree, 'dns', 'dns');
  const list = valueAt(dns, 'servers');
  const given = Array.isArray(list) ? list.map(serverOf) : [];
  const names = given.map((server) => ownName(wordAt(server, 'address'))).filter((name) => name !== undefined);
  const isAnswering = given.some((server) => wordAt(server, 'address').toLowerCase() !== FAKE);
  const servers = [
    ...given,
    ...(isAnswering ? [] : [{ address: SYSTEM }]),
    // A server with a name cannot be asked for its own address.
    ...(names.length > 0
      ? [{ address: SYSTEM, domains: [...new Set(names)].map((name) => `full:${name}`), skipFallback: true }]
      : []),
  ];
  return withMembers(dns, {
    servers: servers.map((server) => withMembers(server, { unexpectedIPs: [...hardList(server), ...blocked] })),
    hosts: filteredHosts(innerAt(dns, 'hosts'), blocked),
    // The hosts of the machine are not filtered here. Its resolver, which is, knows them too.
    useSystemHosts: false,
  });
}

const serverOf = (server: unknown): JsonObject => (isObject(server) ? server : { address: server });

/** What the configuration filters itself. With "*" its list only sorts answers, and would let all pass: it is left out. */
function hardList(server: JsonObject): string[] {
  const value = valueAt(server, 'unexpectedIPs');
  const texts = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
  const list = texts.filter((text) => typeof text === 'string').map((text) => text.trim());
  return list.includes('*') ? [] : list;
}

/** The host name of a DNS server that is asked through the outbounds; undefined for addresses and the engine's own servers. */
function ownName(address: string): string | undefined {
  const [scheme = '', rest] = address.split('://');
  if (scheme.toLowerCase().endsWith('+local')) return undefined;
  const host = (rest ?? address).split(/[/?#]/)[0]!.replace(/:\d+$/, '').toLowerCase();
  const isName = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/.test(host) && !/^[\d.]+$/.test(host);
  return isName && host !== SYSTEM && host !== FAKE ? host : undefined;
}

/** The hosts without blocked addresses; a name that keeps none does not exist. */
function filteredHosts(hosts: JsonObject, blocked: readonly string[]): JsonObject {
  const isBlocked = (value: unknown) =>
    typeof value === 'string' && networksHave(blocked, value.trim().replace(/^\[(.*)\]$/, '$1'));
  const entries = Object.entries(hosts).map(([name, value]): [string, unknown] => {
    if (!Array.isArray(value)) return [name, isBlocked(value) ? NO_SUCH_NAME : value];
    const kept = value.filter((address) => !isBlocked(address));
    return [name, kept.length === 0 && value.length > 0 ? NO_SUCH_NAME : kept];
  });
  return Object.fromEntries(entries);
}
