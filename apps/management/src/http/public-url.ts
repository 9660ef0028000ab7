import { networkInterfaces } from 'node:os';
import { reachableHost } from '@rampart/program';
import type { ManagementEnv } from '../env/management-env.js';

type UrlSettings = Pick<ManagementEnv, 'publicUrl' | 'scheme'>;

/** The base of subscription URLs: RAMPART_PUBLIC_URL, else the address that the service listens on. */
export function publicUrl({
  publicUrl,
  host,
  port,
  scheme,
}: UrlSettings & Pick<ManagementEnv, 'host' | 'port'>): string {
  if (publicUrl !== undefined) return publicUrl;
  const everywhere = host === '0.0.0.0' || host === '::';
  const own = everywhere ? reachableHost(networkInterfaces()) : host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${own}:${port}`;
}

/** The origin of a URL; undefined where it is none. */
export const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);

/**
 * Whether browsers reach management over HTTPS: the public URL says so, or this request came that way. A proxy in front may
 * not say how, so a request alone does not prove the opposite.
 */
export const isForHttps = (env: UrlSettings, { protocol }: { readonly protocol: string }): boolean =>
  protocol === 'https' || isPublicOverHttps(env);

/** Whether the public URL is one of HTTPS. */
export const isPublicOverHttps = ({ publicUrl, scheme }: UrlSettings): boolean =>
  publicUrl === undefined ? scheme === 'https' : publicUrl.startsWith('https:');

/** A warning for operators whose users cannot reach their subscription URLs; undefined when they can. */
export function publicUrlWarning(url: string): string | undefined {
  const { hostname } = new URL(url);
  if (!/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return undefined;
  return `Subscription URLs begin with ${url}, which only this machine can reach: RAMPART_PUBLIC_URL has to be the address that clients use`;
}
