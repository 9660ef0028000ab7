import { describe, expect, it } from '@jest/globals';
import type { Group, Host, Node, User } from '../../../api/types';
import { diagnose } from './diagnose';

const user = { status: 'active', group_ids: [1], online_at: '2026-01-01T00:00:00Z' } as User;
const group = { id: 1, name: 'vip', inbound_tags: ['a', 'b'], is_disabled: false } as Group;
const host = { inbound_tag: 'a', is_disabled: false, status: null } as Host;
const node = { name: 'n', status: 'connected' } as Node;
const facts = { user, groups: [group], hosts: [host], nodes: [node], lastFetch: '2026-01-01T00:00:00Z' };
const verdicts = (change: Partial<Parameters<typeof diagnose>[0]>) =>
  Object.fromEntries(diagnose({ ...facts, ...change }).map(({ check, verdict }) => [check, verdict]));
const FINE = { status: 'ok', groups: 'ok', inbounds: 'ok', hosts: 'ok', nodes: 'ok', fetched: 'ok', online: 'ok' };

describe('why a user cannot connect', () => {
  it('nothing is in the way of a user with a group, a host and a node', () => {
    expect(verdicts({})).toEqual(FINE);
  });

  it.each<[string, Partial<Parameters<typeof diagnose>[0]>, object]>([
    ['an expired user', { user: { ...user, status: 'expired' } }, { status: 'bad' }],
    ['a user without groups', { user: { ...user, group_ids: [] } }, { groups: 'bad', inbounds: 'bad', hosts: 'bad' }],
    [
      'disabled groups',
      { groups: [{ ...group, is_disabled: true }] },
      { groups: 'warning', inbounds: 'bad', hosts: 'bad' },
    ],
    ['a group without inbounds', { groups: [{ ...group, inbound_tags: [] }] }, { inbounds: 'bad', hosts: 'bad' }],
    ['a disabled host', { hosts: [{ ...host, is_disabled: true }] }, { hosts: 'bad' }],
    ['a host for other states', { hosts: [{ ...host, status: ['expired'] }] }, { hosts: 'bad' }],
    ['no connected node', { nodes: [{ ...node, status: 'error' }] }, { nodes: 'bad' }],
    ['one node in error', { nodes: [node, { ...node, status: 'error' }] }, { nodes: 'warning' }],
    ['a subscription that nobody fetched', { lastFetch: null }, { fetched: 'warning' }],
    ['a user who was never online', { user: { ...user, online_at: null } }, { online: 'warning' }],
    [
      'an admin who may not see servers',
      { groups: undefined, hosts: undefined, nodes: undefined },
      { groups: 'unknown', inbounds: 'unknown', hosts: 'unknown', nodes: 'unknown' },
    ],
  ])('%s is named', (_, change, expected) => {
    expect(verdicts(change)).toEqual({ ...FINE, ...expected });
  });
});
