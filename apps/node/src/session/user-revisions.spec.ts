import { describe, expect, it } from '@jest/globals';
import { Revisions } from './user-revisions.js';

describe('Revisions', () => {
  it('takes sets in order, repeats included', () => {
    const revisions = new Revisions();
    revisions.appliedSet(5n);
    expect(revisions.staleSet(4n)).toBe(true);
    expect(revisions.staleSet(5n)).toBe(false);
    expect(revisions.lastOf('anyone')).toBe(5n);
  });

  it('finds a set older than a later change of one user', () => {
    const revisions = new Revisions();
    revisions.appliedSet(5n);
    revisions.appliedUser('ann', 7n, true);
    expect(revisions.staleSet(6n)).toBe(true);
    expect(revisions.lastOf('ann')).toBe(7n);
    expect(revisions.lastOf('bob')).toBe(5n);
  });

  it('remembers who was removed', () => {
    const revisions = new Revisions();
    revisions.appliedUser('ann', 7n, false);
    expect(revisions.lastOf('ann')).toBe(7n);
    revisions.appliedSet(8n);
    expect(revisions.lastOf('ann')).toBe(8n);
  });

  it('lets a change without a revision pass and keeps the mark', () => {
    const revisions = new Revisions();
    revisions.appliedUser('ann', 7n, true);
    revisions.appliedUser('ann', 0n, false);
    revisions.appliedSet(0n);
    expect(revisions.staleSet(0n)).toBe(false);
    expect(revisions.lastOf('ann')).toBe(7n);
  });

  it('keeps a bounded number of removals, the latest ones', () => {
    const revisions = new Revisions();
    for (let index = 1; index <= 65_537; index += 1) revisions.appliedUser(`user-${index}`, BigInt(index), false);
    expect(revisions.lastOf('user-1')).toBe(0n);
    expect(revisions.lastOf('user-2')).toBe(2n);
  });

  it('knows nothing any more after clear', () => {
    const revisions = new Revisions();
    revisions.appliedSet(5n);
    revisions.clear();
    expect(revisions.staleSet(1n)).toBe(false);
    expect(revisions.last).toBe(0n);
  });
});
