import type { NetworkInterfaceInfo } from 'node:os';
import ipaddr from 'ipaddr.js';

/** The network interfaces of a machine, as `os.networkInterfaces()` returns them. */
type Interfaces = Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>;

const LOOPBACK: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** The address at which this machine reaches a service of its own that listens on this host. */
export const addressFromHere = (host: string): string => LOOPBACK.get(host) ?? host;

/** The public addresses of this machine, which the whole internet can reach. */
export function publicAddresses(interfaces: Interfaces): { ipv4?: string; ipv6?: string } {
  const reachable = outward(interfaces).filter(({ address }) => ipaddr.parse(address).range() === 'unicast');
  const ipv4 = reachable.find(({ family }) => family === 'IPv4')?.address;
  const ipv6 = reachable.find(({ family }) => family === 'IPv6')?.address;
  return { ...(ipv4 && { ipv4 }), ...(ipv6 && { ipv6 }) };
}

/** The host under which others can reach this machine: a public address, else one of its LAN, else the loopback address. */
export function reachableHost(interfaces: Interfaces): string {
  const { ipv4, ipv6 } = publicAddresses(interfaces);
  if (ipv4 !== undefined) return ipv4;
  if (ipv6 !== undefined) return `[${ipv6}]`;
  return outward(interfaces).find(({ family }) => family === 'IPv4')?.address ?? '127.0.0.1';
}

function outward(interfaces: Interfaces): NetworkInterfaceInfo[] {
  return Object.values(interfaces).flatMap((infos) => (infos ?? []).filter(({ internal }) => !internal));
}
