import { networkInterfaces } from 'node:os';

/** Whether IPv6 is the only way to this machine, as far as it knows by now: its loopback does not count as IPv4. */
export function isReachedByIpv6Alone(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const hasIpv4 = addresses.some(({ family, internal }) => family === 'IPv4' && !internal);
  return !hasIpv4 && addresses.some(({ family }) => family === 'IPv6');
}
