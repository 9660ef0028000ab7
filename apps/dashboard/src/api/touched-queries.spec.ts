import { describe, expect, it } from '@jest/globals';
import { isHeard, isTouched } from './touched-queries';

const change = (type: string, key: string | null) => ({ type, action: 'modify', key });

describe(isTouched.name, () => {
  it('finds the lists of users and what is shown of this user, and nothing of another user', () => {
    const keys = [
      ['users', 'list', {}],
      ['users', 'one', 'ali'],
      ['users', 'usage', 'ali', 'day'],
      ['users', 'one', 'eve'],
    ];
    expect(keys.map((key) => isTouched(key, change('user', 'ali')))).toEqual([true, true, true, false]);
    expect(keys.map((key) => isTouched(key, change('user', null)))).toEqual([true, true, true, true]);
  });

  it('finds what shows other kinds of objects, and the log of all changes', () => {
    expect(isTouched(['inbounds'], change('core', '1'))).toBe(true);
    expect(isTouched(['nodes', 'live'], change('node', '3'))).toBe(true);
    expect(isTouched(['users', 'list', {}], change('node', '3'))).toBe(false);
    expect(isTouched(['audit', 'x'], change('host', '3'))).toBe(true);
  });

  it('takes a kind that it does not know for the list with its name', () => {
    expect(isTouched(['widgets'], change('widget', '1'))).toBe(true);
  });
});

describe(isHeard.name, () => {
  it('knows what the stream of events is about, which figures are not', () => {
    expect([['users', 'list'], ['audit'], ['system'], ['doctor']].map(isHeard)).toEqual([true, true, false, false]);
  });
});
