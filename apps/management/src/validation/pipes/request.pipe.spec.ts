import { describe, expect, it } from '@jest/globals';
import { ObjectList, OptionalIdList } from '../rules.js';
import { readDto } from './request.pipe.js';

class Entry {}

class Selection {
  @OptionalIdList()
  users?: number[] | null;

  @ObjectList(() => Entry, 100)
  entries: Entry[];
}

describe(readDto.name, () => {
  /** A list whose elements cannot be looked at. */
  const untouchable = (length: number): unknown[] =>
    new Proxy(Array<unknown>(length).fill(1), {
      get: (list, name) => {
        if (/^\d+$/.test(String(name))) throw new Error(`the element ${String(name)} was looked at`);
        return Reflect.get(list, name);
      },
    });

  it('security row 97: looks at no element of a list that is longer than its rule allows', () => {
    expect(readDto({ users: untouchable(10_001), entries: untouchable(101) }, Selection, '3')).toEqual({
      problems: {
        '3.users': 'Input should be a list of at most 10000 ids',
        '3.entries': 'Input should be a list of at most 100 objects',
      },
    });
    expect(() => readDto({ users: untouchable(10_000), entries: [] }, Selection)).toThrow('was looked at');
  });
});
