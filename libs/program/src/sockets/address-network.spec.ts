import { describe, expect, it } from '@jest/globals';
import { LOOPBACK_NETWORKS, networkMatcher, peerNetworkOf, siteNetworkOf } from './address-network.js';

describe(peerNetworkOf.name, () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['no address', undefined],
  ])('the network of %s is %s', (address, network) => {
    expect(peerNetworkOf(address)).toBe(network);
  });
});

describe(siteNetworkOf.name, () => {
  it.each([
    ['192.0.2.7', '192.0.2.0/24'],
    ['::ffff:192.0.2.7', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:0:5::1', '2001:db8::/48'],
    ['no address', undefined],
  ])('of %s is %s', (address, network) => {
    expect(siteNetworkOf(address)).toBe(network);
  });
});

describe(networkMatcher.name, () => {
  it.each([
    ['127.0.0.9', true],
    ['::ffff:127.0.0.1', true],
    ['::1', true],
    ['10.1.2.3', true],
    ['192.0.2.1', true],
    ['192.0.2.2', false],
    ['2001:db8::1', false],
    ['no address', false],
  ])('tells whether %s is in the networks: %s', (address, found) => {
    expect(networkMatcher([...LOOPBACK_NETWORKS, '10.0.0.0/8', '192.0.2.1'])(address)).toBe(found);
  });
});
