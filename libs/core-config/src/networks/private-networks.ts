import { type AddressRange, rangeOf, rangeText, readRange, without } from './address-range.js';

/** How many networks a core may let its users reach. */
export const MAX_ALLOWED_NETWORKS = 64;

/** Addresses of IPv4 that are this machine, its networks, or nothing on the internet. */
const PRIVATE_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  // The agent of Azure on each of its machines, which knows secrets of the machine.
  '168.63.129.16/32',
];

/**
 * The same of IPv6. Whole tunnels are among them that lead to any address of IPv4: IPv4-compatible addresses, NAT64 for local
 * use, Teredo and 6to4.
 */
const PRIVATE_IPV6 = [
  ...['::/96', '64:ff9b:1::/48', '100::/64', '2001::/32', '2001:db8::/32', '2002::/16'],
  ...['fc00::/7', 'fe80::/9', 'ff00::/8'],
];

/** NAT64 of the internet: an IPv4 address is in the last 32 bits. IPv6-only machines reach public ones through it. */
const NAT64 = readKnown('64:ff9b::/96');

/** Returns a network in its one notation, such as `10.0.0.0/8` for `10.1.2.3/8`; undefined for what is no network. */
export function networkText(text: string): string | undefined {
  const range = readRange(text);
  return range && rangeText(range);
}

/**
 * The networks that users of a core do not reach, in CIDR notation: private ones without those that it allows.
 *
 * @param allowed networks in CIDR notation; anything else among them allows nothing
 */
export function blockedNetworks(allowed: readonly string[]): string[] {
  const open = allowed.flatMap((text) => readRange(text) ?? []);
  const blocked = (texts: readonly string[]) => texts.flatMap((text) => without(readKnown(text), open));
  const ipv4 = blocked(PRIVATE_IPV4);
  const translated = ipv4.map(({ base, bits }) => rangeOf(6, NAT64.base | base, NAT64.bits + bits));
  return [...ipv4, ...translated.flatMap((range) => without(range, open)), ...blocked(PRIVATE_IPV6)].map(rangeText);
}

/** Whether a text is an address in one of the networks. */
export function networksHave(networks: readonly string[], address: string): boolean {
  const range = readRange(address);
  return range !== undefined && networks.some((text) => without(range, [readKnown(text)]).length === 0);
}

function readKnown(text: string): AddressRange {
  const range = readRange(text);
  if (!range) throw new Error(`${text} is no network`);
  return range;
}
