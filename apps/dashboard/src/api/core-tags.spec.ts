import { describe, expect, it } from '@jest/globals';
import { offeredBy } from './core-tags';

describe(offeredBy.name, () => {
  it('names the inbounds and the fallbacks that a core has and does not exclude', () => {
    const core = { config: { inbounds: [{ tag: 'a' }, { tag: 'b' }, null, {}] }, exclude_inbound_tags: ['b'] };
    expect(offeredBy(core, ['a', 'b', 'c', 'a<=>b', 'b<=>a', 'a<=>c'])).toEqual(['a', 'a<=>b']);
    expect(offeredBy({ config: { inbounds: 'none' }, exclude_inbound_tags: [] }, ['a'])).toEqual([]);
  });
});
