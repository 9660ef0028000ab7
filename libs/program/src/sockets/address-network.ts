import ipaddr from 'ipaddr.js';

/**
 * The network that counts as one peer: an IPv4 address itself, or the /64 of an IPv6 address, because its owner has all
 * addresses of it. An IPv4-mapped IPv6 address counts as IPv4.
 *
 * @returns such as `192.0.2.1` or `2001:db8::/64`; undefined for a text that is not an address.
 */
export function peerNetworkOf(text: string): string | undefined {
  const address = parsed(text);
  return address instanceof ipaddr.IPv4 ? address.toString() : address && networkAround(address, 64);
}

/**
 * The network that one customer of a provider can have: a /24 of IPv4, or a /48 of IPv6. An IPv4-mapped IPv6 address counts
 * as IPv4.
 *
 * @returns such as `192.0.2.0/24` or `2001:db8::/48`; undefined for a text that is not an address.
 */
export function siteNetworkOf(text: string): string | undefined {
  const address = parsed(text);
  return address && networkAround(address, address instanceof ipaddr.IPv4 ? 24 : 48);
}

const parsed = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  ipaddr.isValid(text) ? ipaddr.process(text) : undefined;

function networkAround(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const bytes = address.toByteArray().map((byte, at) => (at * 8 < bits ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}

/**
 * A function that tells whether an address is in one of the networks.
 *
 * @param networks such as `10.0.0.0/8`, or single addresses.
 * @throws Error for a text that is neither.
 */
export function networkMatcher(networks: readonly string[]): (text: string) => boolean {
  const ranges = networks.map((network) => {
    if (network.includes('/')) return ipaddr.parseCIDR(network);
    const address = ipaddr.parse(network);
    return [address, address.kind() === 'ipv4' ? 32 : 128] as const;
  });
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
  };
}

/** The loopback addresses of this machine. */
export const LOOPBACK_NETWORKS: readonly string[] = ['127.0.0.0/8', '::1'];
