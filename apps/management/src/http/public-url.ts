import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import type { ManagementEnv } from '../env/management-env.js';

type Interfaces = Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>;

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

/** The base of subscription URLs: RAMPART_PUBLIC_URL, else the address that the service listens on. */
export function publicUrl({
  publicUrl,
  host,
  port,
  scheme,
}: Pick<ManagementEnv, 'publicUrl' | 'host' | 'port' | 'scheme'>): string {
  if (publicUrl !== undefined) return publicUrl;
  const everywhere = host === '0.0.0.0' || host === '::';
  const own = everywhere ? reachableHost(networkInterfaces()) : host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${own}:${port}`;
}

/** A warning for operators whose users cannot reach their subscription URLs; undefined when they can. */
export function publicUrlWarning(url: string): string | undefined {
  const { hostname } = new URL(url);
  if (!/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return undefined;
  return `Subscription URLs begin with ${url}, which only this machine can reach: set RAMPART_PUBLIC_URL to the address that clients use`;
}

function outward(interfaces: Interfaces): NetworkInterfaceInfo[] {
  return Object.values(interfaces).flatMap((infos) => (infos ?? []).filter(({ internal }) => !internal));
}
