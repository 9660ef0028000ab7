import { describe, expect, it } from '@jest/globals';
import { type AuditEntry, newest } from './audit-log';

const page = (ids: number[], next: number | null) => ({ entries: ids.map((id) => ({ id }) as AuditEntry), next });
const idsOf = ({ entries, next }: ReturnType<typeof newest>) => [entries.map(({ id }) => id), next];

describe(newest.name, () => {
  it('has the last entries of all pages in their order, and goes on after the last one', () => {
    expect(idsOf(newest([page([9, 4, 3], 3), page([8, 5], null)], 3))).toEqual([[9, 8, 5], 5]);
  });

  it('ends where every page does', () => {
    expect(idsOf(newest([page([9], null), page([8], null)], 3))).toEqual([[9, 8], null]);
    expect(idsOf(newest([page([], null)], 3))).toEqual([[], null]);
  });
});
