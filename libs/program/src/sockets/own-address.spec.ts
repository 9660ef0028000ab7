import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { addressFromHere, publicAddresses, reachableHost } from './own-address.js';

const at = (address: string, internal = false): NetworkInterfaceInfo => {
  const rest = { address, netmask: '', mac: '', internal, cidr: null };
  return address.includes(':') ? { ...rest, family: 'IPv6', scopeid: 0 } : { ...rest, family: 'IPv4' };
};
const loopback = [at('127.0.0.1', true), at('::1', true)];

describe(reachableHost.name, () => {
  it.each([
    ['a public IPv4 address first', [at('192.168.1.5'), at('2a01:4f8::1'), at('8.8.4.4')], '8.8.4.4'],
    ['then a public IPv6 address', [at('10.0.0.5'), at('fe80::1'), at('2a01:4f8::1')], '[2a01:4f8::1]'],
    ['then one of the LAN', [at('fe80::1'), at('10.0.0.5')], '10.0.0.5'],
    ['else itself', [], '127.0.0.1'],
  ])('prefers %s', (_, eth0, expected) => {
    expect(reachableHost({ lo: loopback, eth0 })).toBe(expected);
  });
});

describe(publicAddresses.name, () => {
  it('omits addresses that the internet cannot reach', () => {
    const private_ = ['100.64.0.1', '169.254.1.1', '172.16.0.1', 'fc00::1', 'fe80::1'].map((address) => at(address));
    expect(publicAddresses({ lo: loopback, eth0: private_ })).toEqual({});
    expect(publicAddresses({ eth0: [at('8.8.4.4'), at('2a01:4f8::1')] })).toEqual({
      ipv4: '8.8.4.4',
      ipv6: '2a01:4f8::1',
    });
  });
});

describe(addressFromHere.name, () => {
  it.each([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '::1'],
    ['10.0.0.1', '10.0.0.1'],
    ['panel.example', 'panel.example'],
  ])('a service that listens on %s is reached from its own machine at %s', (host, address) => {
    expect(addressFromHere(host)).toBe(address);
  });
});
