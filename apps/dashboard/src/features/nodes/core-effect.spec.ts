import { describe, expect, it } from '@jest/globals';
import { coreEffect } from './core-effect';

const core = (id: number, ...tags: string[]) => ({
  id,
  config: { inbounds: tags.map((tag) => ({ tag })) },
  exclude_inbound_tags: ['hidden'],
});
const node = { id: 1, status: 'connected' as const, core_config_id: 1 };
const facts = {
  node,
  chosen: 2,
  cores: [core(1, 'a', 'both', 'hidden'), core(2, 'both', 'b')],
  nodes: [node],
  groups: [
    { id: 10, inbound_tags: ['a', 'both'], is_disabled: false },
    { id: 11, inbound_tags: ['b', 'a'], is_disabled: false },
    { id: 12, inbound_tags: ['a', 'b'], is_disabled: true },
  ],
  inbounds: ['a', 'both', 'b'],
};

describe(coreEffect.name, () => {
  it('names the inbounds that a node gains and loses, with the enabled groups that have them', () => {
    expect(coreEffect(facts)).toEqual({
      gained: { tags: ['b'], groups: [11] },
      lost: { tags: ['a'], groups: [10, 11] },
      unserved: ['a'],
    });
  });

  it('names as unserved only what somebody may use and no other enabled node has', () => {
    const other = { ...node, id: 2 };
    const unserved = (change: Partial<typeof facts>) => coreEffect({ ...facts, ...change }).unserved;
    expect(unserved({ nodes: [node, other] })).toEqual([]);
    expect(unserved({ nodes: [node, { ...other, status: 'disabled' as never }] })).toEqual(['a']);
    expect(unserved({ groups: [] })).toEqual([]);
  });

  it('has nothing to lose on a node whose core was deleted', () => {
    const { gained, lost } = coreEffect({ ...facts, node: { ...node, core_config_id: null as never } });
    expect([gained.tags, lost.tags]).toEqual([['both', 'b'], []]);
  });
});
