import ipaddr from 'ipaddr.js';

/** An IPv6 /64 in bytes. */
const NETWORK_BYTES = 8;

/**
 * The network that counts as one peer: an IPv4 address itself, or the /64 of an IPv6 address, because its owner has all
 * addresses of it. An IPv4-mapped IPv6 address counts as IPv4.
 *
 * @returns such as `192.0.2.1` or `2001:db8::/64`; undefined for a text that is not an address.
 */
export function peerNetworkOf(text: string): string | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const bytes = [...address.toByteArray().slice(0, NETWORK_BYTES), ...Array<number>(NETWORK_BYTES).fill(0)];
  return `${ipaddr.fromByteArray(bytes).toString()}/64`;
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
