import { describe, expect, it } from '@jest/globals';
import { UserRevisions } from './user-revisions.js';

describe(UserRevisions.name, () => {
  it('full sets are accepted in order of revisions, including repeats', () => {
    const revisions = new UserRevisions();
    revisions.recordSet(5n);
    expect(revisions.isSetStale(4n)).toBe(true);
    expect(revisions.isSetStale(5n)).toBe(false);
    expect(revisions.lastRevisionOf('anyone')).toBe(5n);
  });

  it('a full set is stale after a later change of one user', () => {
    const revisions = new UserRevisions();
    revisions.recordSet(5n);
    revisions.recordUser('ann', 7n, true);
    expect(revisions.isSetStale(6n)).toBe(true);
    expect(revisions.lastRevisionOf('ann')).toBe(7n);
    expect(revisions.lastRevisionOf('bob')).toBe(5n);
  });

  it('the revision of a removed user is remembered', () => {
    const revisions = new UserRevisions();
    revisions.recordUser('ann', 7n, false);
    expect(revisions.lastRevisionOf('ann')).toBe(7n);
    revisions.recordSet(8n);
    expect(revisions.lastRevisionOf('ann')).toBe(8n);
  });

  it('a change without a revision is accepted and keeps the last revision', () => {
    const revisions = new UserRevisions();
    revisions.recordUser('ann', 7n, true);
    revisions.recordUser('ann', 0n, false);
    revisions.recordSet(0n);
    expect(revisions.isSetStale(0n)).toBe(false);
    expect(revisions.lastRevisionOf('ann')).toBe(7n);
  });

  it('only the latest removals are remembered', () => {
    const revisions = new UserRevisions();
    for (let index = 1; index <= 65_537; index += 1) revisions.recordUser(`user-${index}`, BigInt(index), false);
    expect(revisions.lastRevisionOf('user-1')).toBe(0n);
    expect(revisions.lastRevisionOf('user-2')).toBe(2n);
  });

  it('no revision is known after clearing', () => {
    const revisions = new UserRevisions();
    revisions.recordSet(5n);
    revisions.clearRevisions();
    expect(revisions.isSetStale(1n)).toBe(false);
    expect(revisions.newestRevision).toBe(0n);
  });
});
