import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contains, rangeOf, rangeText, readRange, without } from './address-range.js';
import { blockedNetworks, networksHave, networkText } from './private-networks.js';

const addressText = (version: 4 | 6, address: bigint): string =>
  rangeText(rangeOf(version, address, version === 4 ? 32 : 128)).split('/')[0]!;

const ipv4 = fc.bigInt(0n, 2n ** 32n - 1n);

describe(networkText.name, () => {
  it.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.3', '10.1.2.3/32'],
    ['FD00::1/8', 'fd00::/8'],
    ['::1', '::1/128'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['::ffff:0:0/64', '::/64'],
    ['0.0.0.0/0', '0.0.0.0/0'],
  ])('reads %s as %s', (text, expected) => {
    expect(networkText(text)).toBe(expected);
  });

  it.each([
    '',
    '10',
    '10.1',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '0x7f.1',
    'localhost',
    '::1%lo',
    '[::1]',
    '::/129',
  ])('finds no network in %j', (text) => {
    expect(networkText(text)).toBeUndefined();
  });
});

describe(blockedNetworks.name, () => {
  it('security row 34: has everything private, in every form of an IPv4 address inside IPv6', () => {
    const blocked = blockedNetworks([]);
    const addresses = [
      ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.31.0.1', '192.168.0.1'],
      ...['224.0.0.1', '255.255.255.255', '168.63.129.16'],
      ...[
        '::',
        '::1',
        '::127.0.0.1',
        '::ffff:10.0.0.1',
        '64:ff9b::10.0.0.1',
        '64:ff9b:1::1',
        '2002:a00:1::',
        '2001::1',
      ],
      ...['fc00::1', 'fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1'],
    ];
    expect(addresses.filter((address) => !networksHave(blocked, address))).toEqual([]);
    const free = ['1.1.1.1', '168.63.129.17', '172.32.0.1', '64:ff9b::1.1.1.1', '2606:4700::1', '2001:1::1'];
    expect(free.filter((address) => networksHave(blocked, address))).toEqual([]);
  });

  it('security row 34: an allowed network is open whole, also behind NAT64, and its neighbours stay closed', () => {
    const blocked = blockedNetworks(['10.1.0.0/16', 'fd00:1::/32']);
    const open = ['10.1.0.0', '10.1.255.255', '64:ff9b::10.1.2.3', 'fd00:1::1', '::ffff:10.1.0.1'];
    expect(open.filter((address) => networksHave(blocked, address))).toEqual([]);
    const closed = ['10.0.255.255', '10.2.0.0', '64:ff9b::10.2.0.0', 'fd00:0:ffff::1', 'fd00:2::1'];
    expect(closed.filter((address) => !networksHave(blocked, address))).toEqual([]);
    expect(blockedNetworks(['0.0.0.0/0', '::/0'])).toEqual([]);
  });

  it('an address is blocked exactly where it is private and in no allowed network', () => {
    fc.assert(
      fc.property(ipv4, ipv4, fc.integer({ min: 0, max: 32 }), (address, base, bits) => {
        const text = addressText(4, address);
        const allowed = rangeText(rangeOf(4, base, bits));
        const isAllowed = networksHave([allowed], text);
        expect(networksHave(blockedNetworks([allowed]), text)).toBe(
          networksHave(blockedNetworks([]), text) && !isAllowed,
        );
      }),
    );
  });
});

describe(without.name, () => {
  it('the ranges without others do not overlap, and have no address of the others', () => {
    const range = fc.tuple(ipv4, fc.integer({ min: 0, max: 32 })).map(([base, bits]) => rangeOf(4, base, bits));
    fc.assert(
      fc.property(range, fc.array(range, { maxLength: 4 }), (whole, others) => {
        const rest = without(whole, others);
        for (const one of rest) {
          expect(contains(whole, one)).toBe(true);
          for (const other of [...others, ...rest.filter((another) => another !== one)]) {
            expect([contains(one, other), contains(other, one)]).toEqual([false, false]);
          }
        }
        const sizeOf = (ranges: readonly { bits: number }[]) =>
          ranges.reduce((sum, { bits }) => sum + 2 ** (32 - bits), 0);
        const covered = without(whole, rest);
        expect(sizeOf(rest) + sizeOf(covered)).toBe(sizeOf([whole]));
      }),
    );
  });

  it('a range is read as it is written', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 128n - 1n), fc.integer({ min: 0, max: 128 }), (base, bits) => {
        const range = rangeOf(6, base, bits);
        fc.pre(!rangeText(range).startsWith('::ffff:'));
        expect(readRange(rangeText(range))).toEqual(range);
      }),
    );
  });
});
