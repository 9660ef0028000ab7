import { describe, expect, it } from '@jest/globals';
import { ApiError } from './api-error';
import { readAnswer } from './read-answer';

const GROUP = { id: 1, name: 'everyone', inbound_tags: ['a'], is_disabled: false, total_users: 3, version: 'v' };
const groups = (...list: unknown[]) => readAnswer('/api/groups', { groups: list, total: list.length });
const refusal = (place: string) => new ApiError(0, 'STRANGE_ANSWER', place);

describe(readAnswer.name, () => {
  it('an answer as the document of the API has it stays as it is, with members of tomorrow', () => {
    const answer = { groups: [{ ...GROUP, colour: 'red' }], total: 1, next: null };
    expect(readAnswer('/api/groups', answer)).toEqual(answer);
  });

  it('what is missing in a row, or of another kind, becomes unknown, and the other members stay', () => {
    const { version: _, ...row } = { ...GROUP, name: null, inbound_tags: {}, is_disabled: 'no', total_users: '3' };
    const read = { ...GROUP, name: '—', inbound_tags: [], is_disabled: false, total_users: Number.NaN, version: '—' };
    expect(groups(row)).toEqual({ groups: [read], total: 1 });
    expect(groups({ ...GROUP, inbound_tags: [null, 'a', 7] })).toEqual({ groups: [GROUP], total: 1 });
  });

  it('an answer whose frame is another one is refused, with the place', () => {
    expect(() => readAnswer('/api/groups', null)).toThrow(refusal('—'));
    expect(() => readAnswer('/api/groups', { total: 0 })).toThrow(refusal('groups'));
  });

  it('rows that cannot be told apart are refused', () => {
    expect(() => groups(GROUP, { ...GROUP, name: 'other' })).toThrow(refusal('groups[].id'));
  });

  it('a name of a megabyte is cut', () => {
    const name = 'ж'.repeat(500_000);
    expect(groups({ ...GROUP, name })).toMatchObject({ groups: [{ name: `${name.slice(0, 4_000)}…` }] });
  });

  it('one host that is strange leaves the others as they are', () => {
    const read = readAnswer('/api/hosts', [
      { id: 1, remark: 'one', address: ['a'] },
      { id: 2, remark: 7 },
    ]);
    expect(read).toMatchObject([
      { id: 1, remark: 'one', address: ['a'] },
      { id: 2, remark: '—', address: [] },
    ]);
  });

  it('what a form sends back as a whole has no stand-ins', () => {
    expect(() => readAnswer('/api/host/{host_id}', { id: 1 })).toThrow(refusal('remark'));
  });

  it('values that may be null or missing stay null or missing', () => {
    expect(readAnswer('/api/audit', { entries: [] })).toEqual({ entries: [], next: null });
    expect(readAnswer('/api/nodes/realtime_stats', { 1: null })).toEqual({ 1: null });
  });
});
