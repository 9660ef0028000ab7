import { describe, expect, it } from '@jest/globals';
import { readConfig } from './read-config.js';
import { handoversOf, restartReason } from './restart-reason.js';

const inbound = (tag: string, network: string, more = {}) => ({
  ...(tag && { tag }),
  protocol: 'vless',
  port: 443,
  streamSettings: { network },
  ...more,
});

function replaced(inbounds: object[], more = {}) {
  const source = readConfig({ inbounds, ...more });
  return { tree: source.tree, handovers: handoversOf(source) };
}

describe(restartReason, () => {
  it.each([
    ['nothing when both engines can listen on a port', [inbound('a', 'tcp')], [inbound('a', 'ws')], undefined],
    [
      'nothing when only one of them has what cannot be handed over',
      [inbound('a', 'hysteria')],
      [inbound('a', 'tcp')],
      undefined,
    ],
    ['nothing when only the new one has it', [inbound('a', 'kcp')], [inbound('a', 'hysteria')], undefined],
    [
      'the inbound that cannot be handed over',
      [inbound('a', 'hysteria')],
      [inbound('a', 'hysteria')],
      'inbound "a" cannot be handed over while it serves',
    ],
    [
      'both inbounds that cannot be handed over',
      [inbound('a', 'hysteria')],
      [inbound('b', 'hysteria')],
      'inbound "a" and "b" cannot be handed over while it serves',
    ],
    [
      'an old inbound without a tag',
      [inbound('', 'tcp')],
      [inbound('a', 'tcp')],
      'an inbound without a tag cannot be handed over',
    ],
  ])('restartReason tells %s', (_, from, to, reason) => {
    expect(restartReason(replaced(from), replaced(to))).toBe(reason);
  });

  it('restartReason tells a port for metrics that both engines open', () => {
    const metrics = { metrics: { tag: 'm', listen: '127.0.0.1:1' } };
    const [with_, without] = [replaced([], metrics), replaced([])];
    expect(restartReason(with_, with_)).toBe('metrics.listen cannot be handed over');
    expect(restartReason(with_, without)).toBeUndefined();
    expect(restartReason(without, with_)).toBeUndefined();
    for (const listen of [undefined, '', 7]) {
      const closed = replaced([], { metrics: { tag: 'm', listen } });
      expect(restartReason(closed, closed)).toBeUndefined();
    }
  });
});
