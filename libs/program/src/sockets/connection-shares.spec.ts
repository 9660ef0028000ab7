import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ConnectionOwner, ConnectionShares } from './connection-shares.js';

const ofNetwork = (open: readonly ConnectionOwner[], network: string): ConnectionOwner[] =>
  open.filter((one) => one.network === network);
const ofAddress = (open: readonly ConnectionOwner[], address: string): ConnectionOwner[] =>
  open.filter((one) => one.address === address);
const most = (counts: readonly number[]): number => Math.max(0, ...counts);

/** The number of connections of the address with the most among some. */
const mostOfAddress = (open: readonly ConnectionOwner[]): number =>
  most(open.map(({ address }) => ofAddress(open, address).length));
const mostOfNetwork = (open: readonly ConnectionOwner[]): number =>
  most(open.map(({ network }) => ofNetwork(open, network).length));

describe(ConnectionShares.name, () => {
  const owner = fc
    .record({ network: fc.constantFrom('a', 'b', 'c'), host: fc.constantFrom(1, 2, 3) })
    .map(({ network, host }) => ({ network, address: `${network}${host}` }));

  it('name the oldest connection of an address with the most in a network with the most, if the newcomer has fewer', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(owner, fc.nat()), { maxLength: 60 }), owner, (steps, newcomer) => {
        const shares = new ConnectionShares<ConnectionOwner>();
        const open: ConnectionOwner[] = [];
        for (const step of steps) {
          if (typeof step !== 'number') open.push({ ...step });
          const [gone] = typeof step === 'number' ? open.splice(step % Math.max(1, open.length), 1) : [];
          if (gone !== undefined) shares.delete(gone);
          else if (typeof step !== 'number') shares.add(open.at(-1) ?? step);

          const closed = shares.toCloseFor(newcomer);
          const own = ofNetwork(open, newcomer.network);
          const givesWay =
            own.length < mostOfNetwork(open) || ofAddress(open, newcomer.address).length < mostOfAddress(own);
          expect(closed !== undefined).toBe(givesWay);
          expect(shares.largestNetwork?.size ?? 0).toBe(mostOfNetwork(open));
          if (closed === undefined) continue;
          const among = ofNetwork(open, closed.network);
          expect(among).toHaveLength(mostOfNetwork(open));
          expect(ofAddress(open, closed.address)).toHaveLength(mostOfAddress(among));
          expect(closed).toBe(ofAddress(open, closed.address)[0]);
        }
      }),
    );
  });
});
