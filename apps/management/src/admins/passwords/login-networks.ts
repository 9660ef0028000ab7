import { createHash } from 'node:crypto';
import { siteNetworkOf } from '@rampart/program';
import ipaddr from 'ipaddr.js';

/** A network of one or more addresses that one attacker can obtain, with the share of failed logins that it may have. */
export interface Network {
  /** The address of the network with its length, such as `192.0.2.0/24`; the hash of a text that is no address. */
  readonly name: string;
  /** How many times the failures of a single address it may have. */
  readonly share: number;
}

/** Lengths of the networks around an address, the narrowest first, with their shares. */
const SHARES = {
  ipv4: [
    [32, 1],
    [24, 4],
  ],
  ipv6: [
    [64, 1],
    [56, 2],
    [48, 4],
    [32, 16],
  ],
} as const;

/** The networks around an address, the narrowest first. A proxy may pass on any text as address: that is hashed. */
export function networksAround(ip: string): Network[] {
  const address = parsed(ip);
  if (!address) return [{ name: hashOf(ip), share: 1 }];
  return SHARES[address.kind()].map(([bits, share]) => ({ name: networkOf(address, bits), share }));
}

/** The network in which failures of a name are counted, and from which an admin is known: a /24, or a /48 of IPv6. */
export const siteOf = (ip: string): string => siteNetworkOf(ip) ?? hashOf(ip);

/** Whether a network is wider than the one from which an admin logs in. */
export const isWiderThanSite = (network: string): boolean => network.includes(':') && network.endsWith('/32');

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const parsed = (ip: string): Address | undefined => (ipaddr.isValid(ip) ? ipaddr.process(ip) : undefined);

function networkOf(address: Address, bits: number): string {
  const cidr = `${address}/${bits}`;
  if (address instanceof ipaddr.IPv6) return `${ipaddr.IPv6.networkAddressFromCIDR(cidr)}/${bits}`;
  return bits === 32 ? address.toString() : `${ipaddr.IPv4.networkAddressFromCIDR(cidr)}/${bits}`;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
