import { describe, expect, it } from '@jest/globals';
import { inboundPorts, isGrantedByNone, preferredCore } from './core-choice';

const coreWith = (...inbounds: object[]) => ({ id: 1, config: { inbounds }, fallbacks_inbound_tags: [] as string[] });
const group = (tag: string, is_disabled = false) => ({ inbound_tags: [tag], is_disabled });

describe('the core of a new node', () => {
  it('is the one that most nodes run, else the first', () => {
    const cores = [{ id: 1 }, { id: 2 }, { id: 3 }];
    const nodesOf = (...ids: (number | null)[]) => ids.map((core_config_id) => ({ core_config_id }));
    expect(preferredCore(cores, nodesOf(2, 3, 2, null))).toEqual({ id: 2 });
    expect(preferredCore(cores, nodesOf(3, 2))).toEqual({ id: 2 });
    expect(preferredCore(cores, nodesOf(null, 9))).toEqual({ id: 1 });
    expect(preferredCore([], nodesOf(1))).toBeUndefined();
  });

  it('is warned of where no enabled group grants any of its inbounds', () => {
    const core = coreWith({ tag: 'a' }, { tag: 'b' });
    expect(isGrantedByNone(core, [group('b')])).toBe(false);
    expect(isGrantedByNone(core, [group('b', true), group('c')])).toBe(true);
    expect(isGrantedByNone({ ...core, fallbacks_inbound_tags: ['a'] }, [])).toBe(false);
    expect(isGrantedByNone({ ...core, config: { inbounds: 'none' } }, [])).toBe(false);
  });
});

describe(inboundPorts.name, () => {
  it('are those that users reach from outside, each once', () => {
    const inbounds = [{ port: 8443 }, { port: '443,2000-2002' }, { port: 443 }, { port: 9, listen: '127.0.0.1' }];
    expect(inboundPorts(coreWith(...inbounds, { port: 'env:PORT' }, { listen: '/run/x.sock' }))).toEqual([
      443, 2000, 2001, 2002, 8443,
    ]);
    expect(inboundPorts({ config: {} })).toEqual([]);
  });
});
