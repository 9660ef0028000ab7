import { describe, expect, it } from '@jest/globals';
import { newProxySettings } from '@rampart/domain';
import type { ServedUser } from '../../user-store/served/served-users.js';
import { CoreView } from './core-view.js';
import { ViewBatch } from './view-batch.js';

const viewOf = (tag: string) => new CoreView(new Map([[tag, 'trojan']]));
const proxySettings = newProxySettings((bytes) => Buffer.alloc(bytes, 1));
const user = (id: number, ...inboundTags: string[]): ServedUser => ({
  id,
  email: `${id}.user`,
  proxySettings,
  inboundTags,
  revision: 5n,
});
const BATCH = [user(1, 'a'), user(2, 'b'), user(3), user(4, 'a', 'b')];
const ids = (users: readonly ServedUser[]) => users.map(({ id }) => id);

describe(ViewBatch.name, () => {
  it('tells whom nodes with these inbounds serve, and makes removals of the others in the order of the batch', () => {
    const batch = ViewBatch.of(BATCH, viewOf('a'));
    expect([ids(batch.served), ids(batch.others)]).toEqual([
      [1, 4],
      [2, 3],
    ]);
    expect(batch.messages(new Set([3])).map(({ email, inbounds }) => [email, inbounds])).toEqual([
      ['1.user', ['a']],
      ['2.user', []],
      ['4.user', ['a']],
    ]);
  });

  it('encodes once for all nodes that leave out the same users, and anew for others', () => {
    const [one, same, other] = [viewOf('a'), viewOf('a'), viewOf('b')];
    const encoded = ViewBatch.of(BATCH, one).encode(new Set([2]));
    expect(ViewBatch.of(BATCH, same).encode(new Set([2]))).toBe(encoded);
    expect(encoded.emails).toEqual(['1.user', '3.user', '4.user']);
    expect([...encoded]).toEqual(ViewBatch.of(BATCH, one).messages(new Set([2])));
    expect(ViewBatch.of(BATCH, one).encode(new Set([2, 3])).emails).toEqual(['1.user', '4.user']);
    expect(ViewBatch.of(BATCH, other).encode(new Set([2])).emails).toEqual(['1.user', '3.user', '4.user']);
    expect(ViewBatch.of(BATCH, one).encode(new Set([2]))).toBe(encoded);
  });
});
