import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { ownAddress } from './own-address.js';

const ipv4 = (address: string, internal = false) => [{ address, family: 'IPv4', internal } as NetworkInterfaceInfo];

describe(ownAddress.name, () => {
  it('prefers the setting', () => {
    expect(ownAddress('vpn.example.org', { eth0: ipv4('8.8.4.4') })).toEqual({
      address: 'vpn.example.org',
      origin: 'from RAMPART_PUBLIC_ADDRESS',
    });
  });

  it('prefers a public address to a LAN address', () => {
    expect(ownAddress(undefined, { eth1: ipv4('10.0.0.5'), eth0: ipv4('8.8.4.4') }).address).toBe('8.8.4.4');
  });

  it('ignores loopback and the bridges of containers', () => {
    const interfaces = { lo: ipv4('127.0.0.1', true), docker0: ipv4('172.17.0.1'), eth0: ipv4('192.168.1.7') };
    expect(ownAddress(undefined, interfaces)).toEqual({
      address: '192.168.1.7',
      origin: "this machine's LAN address; set RAMPART_PUBLIC_ADDRESS to be reached from outside",
    });
  });

  it('falls back to loopback and says so', () => {
    expect(ownAddress(undefined, { lo: ipv4('127.0.0.1', true) })).toEqual({
      address: '127.0.0.1',
      origin: 'no network found; set RAMPART_PUBLIC_ADDRESS to be reached from outside',
    });
  });
});
