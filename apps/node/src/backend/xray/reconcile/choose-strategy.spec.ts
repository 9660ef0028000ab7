import { describe, expect, it } from '@jest/globals';
import type { Handover } from '@rampart/core-config';
import type { ManagedInbound } from '../config/managed-inbound.js';
import type { Account } from '../users/account.js';
import type { UserPlan } from '../users/user-plan.js';
import { chooseStrategy } from './choose-strategy.js';

type Protocol = Account['protocol'];

function inboundOf(protocol: Protocol, handover: Handover): ManagedInbound {
  const common = { tag: 'in', handover };
  if (protocol === 'vless') return { ...common, protocol, vision: false, flow: '' };
  if (protocol === 'shadowsocks-2022') return { ...common, protocol, method: '2022-blake3-aes-128-gcm' };
  return { ...common, protocol };
}

function planOf(inbound: ManagedInbound, removals: number, additions: number): UserPlan {
  const step = { email: 'any', inbound, account: { protocol: 'trojan', password: 'any' } } as const;
  return { removals: new Array(removals).fill(step), additions: new Array(additions).fill(step) };
}

describe(chooseStrategy.name, () => {
  it.each<[Protocol, Handover, number, number, number, 'changes' | 'swap']>([
    // protocol, handover, users, removals, additions, expected strategy
    ['shadowsocks-2022', 'shared', 10_000, 0, 1, 'changes'],
    ['shadowsocks-2022', 'shared', 10_000, 1, 1, 'changes'],
    ['shadowsocks-2022', 'shared', 10_000, 10, 0, 'swap'],
    ['shadowsocks-2022', 'shared', 20_000, 500, 0, 'swap'],
    ['shadowsocks-2022', 'shared', 0, 0, 10_000, 'swap'],
    ['shadowsocks-2022', 'gapped', 20_000, 500, 0, 'changes'],
    ['shadowsocks-2022', 'restart', 20_000, 500, 0, 'changes'],
    ['shadowsocks-2022', 'shared', 100_000, 500, 0, 'changes'],
    ['vless', 'shared', 50_000, 500, 500, 'changes'],
    ['vless', 'shared', 50_000, 4000, 4000, 'swap'],
    ['vless', 'gapped', 50_000, 4000, 4000, 'changes'],
    ['vmess', 'shared', 50_000, 500, 500, 'changes'],
    ['vmess', 'shared', 50_000, 3000, 0, 'swap'],
    ['trojan', 'shared', 50_000, 4000, 4000, 'changes'],
    ['hysteria', 'restart', 50_000, 25_000, 0, 'changes'],
  ])(
    'for %s, %s, %d users, %d removals and %d additions: %s',
    (protocol, handover, users, removals, additions, kind) => {
      const inbound = inboundOf(protocol, handover);
      const live = { tag: 'in', users, guards: 0, swapLimit: 64_000 };
      expect(chooseStrategy(inbound, live, planOf(inbound, removals, additions)).kind).toBe(kind);
    },
  );

  it('many guards are cleared by a swap, or by a handover where no swap is possible', () => {
    const shared = inboundOf('shadowsocks-2022', 'shared');
    const with256 = { tag: 'in', users: 50_256, guards: 256, swapLimit: 64_000 };
    expect(chooseStrategy(shared, with256, planOf(shared, 0, 1)).kind).toBe('changes');
    expect(chooseStrategy(shared, with256, planOf(shared, 1, 0)).kind).toBe('swap');
    const gapped = inboundOf('shadowsocks-2022', 'gapped');
    const with10k = { tag: 'in', users: 60_000, guards: 10_000, swapLimit: 64_000 };
    expect(chooseStrategy(gapped, with10k, planOf(gapped, 1, 0))).toEqual({
      kind: 'changes',
      estimatedMs: Number.POSITIVE_INFINITY,
    });
  });

  it('no swap is chosen where the users do not fit into one message', () => {
    const inbound = inboundOf('shadowsocks-2022', 'shared');
    const live = { tag: 'in', users: 48_100, guards: 0, swapLimit: 48_001 };
    expect(chooseStrategy(inbound, live, planOf(inbound, 99, 0)).kind).toBe('changes');
    expect(chooseStrategy(inbound, live, planOf(inbound, 100, 0)).kind).toBe('swap');
  });
});
