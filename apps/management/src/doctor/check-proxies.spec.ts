import { describe, expect, it } from '@jest/globals';
import { trustedSourceOf } from './check-proxies.js';

const OWN = ['192.168.1.5', '198.51.100.5'];

describe(trustedSourceOf.name, () => {
  it.each([
    // A node on this machine, beside a proxy on it: safe unless its core opens the loopback addresses.
    ['127.0.0.1', [], ['127.0.0.1'], '127.0.0.1', undefined],
    ['127.0.0.1', ['127.0.0.0/8'], ['127.0.0.1'], '127.0.0.1', '127.0.0.1'],
    ['192.168.1.5', ['127.0.0.1/32'], ['127.0.0.1'], '0.0.0.0', '127.0.0.1'],
    ['192.168.1.5', ['10.0.0.0/8'], ['127.0.0.1'], '0.0.0.0', undefined],
    ['127.0.0.1', ['192.168.0.0/16'], ['192.168.0.0/16'], '127.0.0.1', undefined],
    ['127.0.0.1', ['192.168.0.0/16'], ['192.168.0.0/16'], '0.0.0.0', '192.168.1.5'],
    // A container in a trusted network, as with 172.16.0.0/12.
    ['172.18.0.3', [], ['172.16.0.0/12'], '0.0.0.0', undefined],
    ['172.18.0.3', ['192.168.1.5/32'], ['172.16.0.0/12'], '0.0.0.0', '172.18.0.3'],
    ['172.18.0.3', ['192.168.1.5/32'], ['172.18.0.1'], '0.0.0.0', undefined],
    // A node on another machine, from which a trusted proxy speaks too: its users reach the public address anyhow.
    ['9.9.9.9', [], ['9.9.9.9'], '0.0.0.0', '9.9.9.9'],
    ['9.9.9.9', [], ['9.9.9.8'], '0.0.0.0', undefined],
  ])(
    'security row 61: a node at %s whose core opens %j, with the proxies %j and management on %s: %s',
    (address, privateNetworks, trustedProxies, host, source) => {
      const node = { name: 'one', address, privateNetworks };
      expect(trustedSourceOf(node, { trustedProxies, host, own: OWN })).toBe(source);
    },
  );
});
