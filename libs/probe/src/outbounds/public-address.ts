import ipaddr from 'ipaddr.js';

/** A function that tells whether a probe may connect to an IP address. */
export type AddressRule = (address: string) => boolean;

/** The part of IPv6 that is the public internet. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Admits the addresses of the public internet, and those of the given networks.
 *
 * @param networks such as `10.0.0.0/8`, or single addresses
 * @throws Error for a text that is neither
 */
export function addressRule(networks: readonly string[]): AddressRule {
  const ranges = networks.map((network) => {
    if (network.includes('/')) return ipaddr.parseCIDR(network);
    const address = ipaddr.parse(network);
    return [address, address.kind() === 'ipv4' ? 32 : 128] as const;
  });
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    // An IPv4 address inside IPv6 is judged as what it is.
    const address = ipaddr.process(text);
    if (address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6))) return true;
    return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
  };
}
