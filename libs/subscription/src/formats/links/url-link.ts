import { isIPv6 } from 'node:net';
import type { ResolvedProxy } from '../../model/resolved-proxy.js';

/** The parameters of a link, in order. Parameters without a value are left out. */
export type LinkQuery = readonly (readonly [name: string, value: string])[];

/**
 * A link of the form `scheme://user@host:port?query#name`.
 *
 * @param user already percent-encoded; everything else is encoded here.
 */
export function urlLink(
  scheme: string,
  user: string,
  { address, port, name }: ResolvedProxy,
  query: LinkQuery,
): string {
  const given = query.filter(([, value]) => value !== '').map(([key, value]) => `${key}=${percentEncode(value)}`);
  const search = given.length > 0 ? `?${given.join('&')}` : '';
  const host = isIPv6(address) ? `[${address}]` : percentEncode(address);
  return `${scheme}://${user}@${host}:${port}${search}#${percentEncode(name)}`;
}

/** Percent-encodes all characters but the unreserved ones of RFC 3986: a space becomes `%20`, a lone surrogate U+FFFD. */
export function percentEncode(text: string): string {
  // Most texts have nothing to encode.
  if (/^[\w.~-]*$/.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
