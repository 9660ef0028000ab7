import { describe, expect, it } from '@jest/globals';
import { readViews, viewOf, withView } from './saved-views';

describe('saved views', () => {
  it('keep filters and order, not the place in the list', () => {
    expect(viewOf({ q: 'ali', status: 'active', sort: 'expire', at: 70, create: true })).toEqual({
      q: 'ali',
      status: 'active',
      sort: 'expire',
    });
  });

  it('that are damaged are left out, alone or all together', () => {
    const stored = [
      { name: 'good', search: { status: 'active,wrong', at: 3 } },
      { search: {} },
      null,
      { name: 'empty' },
    ];
    expect(readViews(JSON.stringify(stored))).toEqual([
      { name: 'good', search: { status: 'active' } },
      { name: 'empty', search: {} },
    ]);
    for (const text of [null, '{}', 'not json', '1']) expect(readViews(text)).toEqual([]);
  });

  it('a saved view of the same name is replaced', () => {
    const views = [{ name: 'a', search: { q: '1' } }];
    expect(withView(views, { name: 'a', search: { q: '2' } })).toEqual([{ name: 'a', search: { q: '2' } }]);
  });
});
