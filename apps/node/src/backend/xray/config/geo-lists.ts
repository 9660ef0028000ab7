import { foldCase } from '@rampart/core-config';
import { type JsonObject, objectAt, textsIn } from './json-tree.js';

/** A list of addresses or domains that a rule takes from a geo file. */
export interface GeoList {
  /** The place in the configuration that names it. */
  readonly path: string;
  readonly text: string;
  readonly file: string;
  /** The name of the list in the file, in upper case as the file spells it. */
  readonly code: string;
}

const ADDRESS_KEYS = ['ip', 'source', 'sourceip', 'localip', 'expectedips', 'expectips', 'unexpectedips'];
const DOMAIN_KEYS = ['domain', 'domains'];

/** Returns every list that routing and DNS take from a geo file. */
export function geoListsOf(tree: JsonObject): GeoList[] {
  const { routing = null, dns = null } = tree;
  const texts = [...textsIn(routing, 'routing'), ...textsIn(dns, 'dns')].flatMap(({ path, key, text }) => {
    if (ADDRESS_KEYS.includes(foldCase(key))) return geoList(path, text, ['geoip:', 'geoip.dat'], ['ext:', 'ext-ip:']);
    if (DOMAIN_KEYS.includes(foldCase(key))) return domainList(path, text);
    return [];
  });
  const hosts = objectAt(objectAt(tree, 'dns', 'dns'), 'hosts', 'dns.hosts');
  return [...texts, ...Object.keys(hosts).flatMap((name) => domainList(`dns.hosts.${name}`, name))];
}

function domainList(path: string, text: string): GeoList[] {
  return geoList(path, text, ['geosite:', 'geosite.dat'], ['ext:', 'ext-domain:']);
}

function geoList(path: string, text: string, [prefix, file]: [string, string], external: readonly string[]): GeoList[] {
  if (text.startsWith(prefix)) return [{ path, text, file, code: codeOf(text.slice(prefix.length)) }];
  const mark = external.find((name) => text.startsWith(name));
  if (mark === undefined) return [];
  const [name = '', code, ...others] = text.slice(mark.length).split(':');
  // Anything else names no list; the engine's own check says so.
  if (code === undefined || others.length > 0) return [];
  return [{ path, text, file: name, code: codeOf(code) }];
}

/** Returns the name of a list without the "!" before it and the attributes after it. */
function codeOf(text: string): string {
  return (text.replace(/^!/, '').split('@')[0] ?? '').toUpperCase();
}
