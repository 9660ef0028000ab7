import ipaddr from 'ipaddr.js';

const NETWORK_BYTES = 8;

/**
 * What counts as one peer: an IPv4 address itself, the /64 of an IPv6 address (whoever has one address of it has all),
 * written as text. An IPv4 address in the form of IPv6 is the IPv4 address.
 *
 * @returns undefined for what is no address.
 */
export function peerNetworkOf(text: string): string | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const bytes = [...address.toByteArray().slice(0, NETWORK_BYTES), ...Array<number>(NETWORK_BYTES).fill(0)];
  return `${ipaddr.fromByteArray(bytes).toString()}/64`;
}

/**
 * Tells whether an address is in one of the networks, given as `10.0.0.0/8` or as single addresses.
 *
 * @throws Error for what is neither.
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

/** The machine itself. */
export const LOOPBACK_NETWORKS: readonly string[] = ['127.0.0.0/8', '::1'];
