import { describe, expect, it } from '@jest/globals';
import { addressRule } from './public-address.js';

const PRIVATE = [
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '192.168.1.1', '192.0.0.1'],
  ...[
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fec0::1',
    'ff02::1',
  ],
  ...['::ffff:10.0.0.1', '::ffff:7f00:1', '64:ff9b::a00:1', '2002:a00:1::', '::127.0.0.1', 'a.example', '', '127.1'],
];

describe(addressRule, () => {
  it.each(PRIVATE)('a probe does not enter a network that is not public: %s', (address) => {
    expect(addressRule([])(address)).toBe(false);
  });

  it.each(['8.8.8.8', '1.1.1.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
    'a probe reaches the public internet: %s',
    (address) => {
      expect(addressRule([])(address)).toBe(true);
    },
  );

  it('networks that are named are entered, and no others', () => {
    const rule = addressRule(['10.0.0.0/8', '127.0.0.1', 'fd00::/8']);
    expect(['10.9.9.9', '127.0.0.1', 'fd00::1', '::ffff:10.0.0.1'].map(rule)).toEqual([true, true, true, true]);
    expect(['11.0.0.1', '127.0.0.2', 'fc00::1', '192.168.0.1'].map(rule)).toEqual([true, false, false, false]);
  });
});
