import { describe, expect, it } from '@jest/globals';
import type { Core, Group, Host, Node, User } from '../../../api/types';
import type { Remedy } from './check';
import { diagnose } from './diagnose';

const user = { status: 'active', group_ids: [1], online_at: '2026-01-01T00:00:00Z' } as User;
const group = { id: 1, name: 'vip', inbound_tags: ['a', 'b'], is_disabled: false } as Group;
const host = { id: 1, remark: 'h', inbound_tag: 'a', is_disabled: false, status: null } as Host;
const works = { host_id: 1, status: 'works', message: '' } as const;
const fails = { host_id: 1, status: 'fails', message: 'times out' } as const;
const node = {
  name: 'n',
  status: 'connected',
  node_version: '0.5.0',
  core_config_id: 1,
  core_pending: false,
} as Node;
/** What a node is that nobody has started yet. */
const AWAITED = { status: 'error', node_version: null, message_code: 'UNREACHABLE' } as const;
const core = {
  id: 1,
  config: { inbounds: [{ tag: 'x' }, { tag: 'b' }] },
  exclude_inbound_tags: ['left'],
} as unknown as Core;
const facts = {
  user,
  groups: [group],
  hosts: [host],
  statusFilter: true,
  health: [works],
  nodes: [node],
  cores: [core],
  lastFetch: '2026-01-01T00:00:00Z',
};
const find = (check: string, change: Partial<Parameters<typeof diagnose>[0]>) =>
  diagnose({ ...facts, ...change }).filter((one) => one.check === check);
const verdicts = (change: Partial<Parameters<typeof diagnose>[0]>) =>
  Object.fromEntries(diagnose({ ...facts, ...change }).map(({ check, verdict }) => [check, verdict]));
const FINE = {
  status: 'ok',
  groups: 'ok',
  inbounds: 'ok',
  hosts: 'ok',
  nodes: 'ok',
  cores: 'ok',
  fetched: 'ok',
  online: 'ok',
};
/** What cannot be said of a user whom no inbound knows. */
const FOLLOWS = { hosts: 'unknown', cores: 'unknown' };

describe('why a user cannot connect', () => {
  it('nothing is in the way of a user with a group, a host and a node', () => {
    expect(verdicts({})).toEqual(FINE);
  });

  it.each<[string, Partial<Parameters<typeof diagnose>[0]>, object]>([
    ['an expired user', { user: { ...user, status: 'expired' } }, { status: 'bad' }],
    ['a user without groups', { user: { ...user, group_ids: [] } }, { groups: 'bad', inbounds: 'unknown', ...FOLLOWS }],
    [
      'disabled groups',
      { groups: [{ ...group, is_disabled: true }] },
      { groups: 'bad', inbounds: 'unknown', ...FOLLOWS },
    ],
    ['a group without inbounds', { groups: [{ ...group, inbound_tags: [] }] }, { inbounds: 'bad', ...FOLLOWS }],
    ['a disabled host', { hosts: [{ ...host, is_disabled: true }] }, { hosts: 'bad' }],
    ['a host for other states', { hosts: [{ ...host, status: ['expired'] }] }, { hosts: 'bad' }],
    [
      'a host for other states where the settings give it to all',
      { hosts: [{ ...host, status: ['expired'] }], statusFilter: false },
      {},
    ],
    ['no connected node', { nodes: [{ ...node, status: 'error' }] }, { nodes: 'bad' }],
    ['one node in error', { nodes: [node, { ...node, status: 'error' }] }, { nodes: 'warning' }],
    ['one node that is still awaited', { nodes: [node, { ...node, ...AWAITED, core_pending: true }] }, {}],
    [
      'a new node whose core is refused',
      { nodes: [node, { ...node, ...AWAITED, message_code: 'CORE_REFUSED' }] },
      { nodes: 'warning' },
    ],
    ['a connected node with another core', { nodes: [{ ...node, core_config_id: 2 }] }, { nodes: 'bad' }],
    ['a node in error with another core', { nodes: [node, { ...node, core_config_id: 2, status: 'error' }] }, {}],
    ['a core that leaves the inbounds out', { cores: [{ ...core, exclude_inbound_tags: ['b'] }] }, { nodes: 'bad' }],
    ['a host whose probes fail', { health: [fails] }, { hosts: 'bad' }],
    ['one of two hosts that fails', { hosts: [host, { ...host, id: 2 }], health: [fails] }, { hosts: 'warning' }],
    ['a host that some probes reach', { health: [{ ...fails, status: 'partly' }] }, { hosts: 'warning' }],
    ['a core that was not applied', { nodes: [node, { ...node, core_pending: true }] }, { cores: 'bad' }],
    ['a subscription that nobody fetched', { lastFetch: null }, { fetched: 'warning' }],
    ['a user who was never online', { user: { ...user, online_at: null } }, { online: 'warning' }],
    [
      'an admin who may not see servers',
      { groups: undefined, hosts: undefined, nodes: undefined, cores: undefined },
      { groups: 'unknown', inbounds: 'unknown', hosts: 'unknown', nodes: 'unknown', cores: 'unknown' },
    ],
  ])('%s is named', (_, change, expected) => {
    expect(verdicts(change)).toEqual({ ...FINE, ...expected });
  });

  it.each<[string, string | undefined, readonly Remedy[] | undefined]>([
    ['disabled', 'disabled', ['enable']],
    ['expired', 'expired', ['edit']],
    ['limited', 'limited', ['edit', 'reset']],
    ['a_status_of_tomorrow', undefined, undefined],
  ])('a user who is %s has a sentence and a remedy of its own', (status, reason, remedies) => {
    const [first] = diagnose({ ...facts, user: { ...user, status: status as User['status'] } });
    expect(first).toMatchObject({ check: 'status', verdict: 'bad', values: { status } });
    expect([first?.reason, first?.remedies]).toEqual([reason, remedies]);
  });

  it('what follows from a user without groups is said to follow, and is no problem of its own', () => {
    const checks = diagnose({ ...facts, user: { ...user, group_ids: [] } });
    expect(checks.filter(({ verdict }) => verdict === 'bad').map(({ check }) => check)).toEqual(['groups']);
    expect(checks.filter(({ reason }) => reason === 'follows').map(({ check }) => check)).toEqual([
      'inbounds',
      'hosts',
      'cores',
    ]);
  });

  it('a core that was not applied concerns the users of its inbounds and of their fallbacks, on nodes that run', () => {
    const behind = { ...node, name: 'late', core_pending: true };
    const namesFor = (inbound: string, more: Partial<Node> = {}) =>
      diagnose({
        ...facts,
        groups: [{ ...group, inbound_tags: [inbound] }],
        nodes: [
          { ...behind, ...more },
          { ...behind, name: 'other', core_config_id: 2 },
        ],
      }).find(({ check }) => check === 'cores')?.values['names'];
    expect(namesFor('b')).toBe('late');
    expect(namesFor('b<=>x')).toBe('late');
    expect([namesFor('a'), namesFor('b<=>a')]).toEqual([undefined, undefined]);
    expect(namesFor('b', { status: 'disabled' })).toBeUndefined();
    expect(namesFor('b', { core_config_id: null })).toBeUndefined();
  });

  it('hosts that fail are named with what the probes say, and hosts that were never tried are said not to be', () => {
    const place = { to: '/hosts' };
    expect(find('hosts', { health: [fails] })).toEqual([
      {
        check: 'hosts',
        verdict: 'bad',
        reason: 'fail',
        values: { count: 1 },
        notes: [{ id: 1, name: 'h', said: 'times out' }],
        place,
      },
    ]);
    const untried = [{ check: 'hosts', verdict: 'ok', reason: 'untried', values: { count: 1 }, place }];
    expect(find('hosts', { health: [] })).toEqual(untried);
    expect(find('hosts', { health: undefined })).toEqual(untried);
    expect(
      find('hosts', {
        health: [
          { ...works, status: 'unknown' },
          { ...works, host_id: 2 },
        ],
      }),
    ).toEqual(untried);
  });

  it('nodes that do not serve the user are named, and whether it is for their core, an error, a first contact or an admin', () => {
    const off = { ...node, name: 'off', status: 'disabled' as const };
    const failing = { ...node, name: 'down', status: 'error' as const };
    const awaited = { ...node, ...AWAITED, name: 'new' };
    const other = { ...node, core_config_id: 2 };
    const place = { to: '/nodes' };
    const notes = [
      { reason: 'warning', names: 'down' },
      { reason: 'awaited', names: 'new' },
      { reason: 'disabled', names: 'off' },
    ];
    const bad = { check: 'nodes', verdict: 'bad', place };
    expect(find('nodes', { nodes: [off, failing, awaited] })).toEqual([{ ...bad, values: {}, notes }]);
    expect(find('nodes', { nodes: [other] })).toEqual([{ ...bad, reason: 'noCore', values: { names: 'a, b' } }]);
    expect(find('nodes', { nodes: [other, off, failing, awaited] })).toEqual([
      { ...bad, reason: 'notConnected', values: { names: 'a, b' }, notes },
    ]);
  });

  it.each([
    ['CORE_REFUSED', ['refused', undefined]],
    ['START_FAILED', ['refused', undefined]],
    ['UNREACHABLE', [undefined]],
    [null, [undefined]],
  ])(
    'a node whose problem is of the kind %s is told apart from one whose core waits to be applied',
    (message_code, reasons) => {
      const late = { ...node, name: 'late', core_pending: true };
      const lines = find('cores', { nodes: [late, { ...late, name: 'no', status: 'error', message_code }] });
      expect(lines.map(({ reason }) => reason)).toEqual(reasons);
      if (lines.length === 2)
        expect(lines[0]).toMatchObject({ values: { name: 'no' }, place: { to: '/cores/$id', id: 1 } });
    },
  );
});
