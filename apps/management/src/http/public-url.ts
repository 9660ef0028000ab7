import { networkInterfaces } from 'node:os';
import { reachableHost } from '@rampart/program';
import type { ManagementEnv } from '../env/management-env.js';

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
  return `Subscription URLs begin with ${url}, which only this machine can reach: RAMPART_PUBLIC_URL has to be the address that clients use`;
}
