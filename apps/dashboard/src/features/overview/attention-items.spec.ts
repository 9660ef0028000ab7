import { describe, expect, it } from '@jest/globals';
import type { HostHealth, Node } from '../../api/types';
import { attentionItems } from './attention-items';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const node = (values: Partial<Node>) =>
  ({
    name: 'near',
    status: 'connected',
    message: null,
    core_pending: false,
    certificate_expires_at: null,
    node_version: '0.5.0',
    ...values,
  }) as Node;
const host = (values: Partial<HostHealth>) =>
  ({ remark: 'first', status: 'works', message: '', ...values }) as HostHealth;
const kinds = (nodes: Node[], hosts: HostHealth[] = []) => attentionItems(nodes, hosts, NOW).map(({ kind }) => kind);

describe(attentionItems.name, () => {
  it('is empty for nodes that work or are disabled, and for hosts that work or were not probed', () => {
    expect(
      kinds([node({}), node({ status: 'disabled', core_pending: true })], [host({}), host({ status: 'unknown' })]),
    ).toEqual([]);
  });

  it('says so when every node is disabled, and not while there is none', () => {
    expect(kinds([node({ status: 'disabled' }), node({ status: 'disabled' })])).toEqual(['allDisabled']);
    expect(kinds([])).toEqual([]);
  });

  it('names failing nodes and hosts before what still works', () => {
    const nodes = [node({ core_pending: true }), node({ status: 'error', message: 'unreachable' })];
    expect(kinds(nodes, [host({ status: 'partly' }), host({ status: 'fails' })])).toEqual([
      'nodeError',
      'hostFails',
      'corePending',
      'hostPartly',
    ]);
  });

  it('says of a node that was never reached that it is waited for, after everything that is wrong', () => {
    const awaited = node({ status: 'error', message: 'unreachable', message_code: 'UNREACHABLE', node_version: null });
    const items = attentionItems([awaited, node({ core_pending: true })], [], NOW);
    expect(items.map(({ kind, tone }) => [kind, tone])).toEqual([
      ['corePending', 'warning'],
      ['nodeAwaited', 'info'],
    ]);
    expect(kinds([{ ...awaited, status: 'disabled' }, node({})])).toEqual([]);
    expect(kinds([{ ...awaited, message_code: 'CORE_REFUSED' }])).toEqual(['nodeError']);
  });

  it('counts the users that a node refuses, apart from its other warnings', () => {
    const message = 'its traffic could not be read: closed\n2 users refused: a (no key), b (no key)';
    expect(attentionItems([node({ message })], [], NOW)).toMatchObject([
      { kind: 'nodeWarning', detail: 'its traffic could not be read: closed' },
      { kind: 'refused', values: { name: 'near', count: 2 } },
    ]);
  });

  it('warns of a certificate that ends within two weeks', () => {
    const ending = (certificate_expires_at: string) => attentionItems([node({ certificate_expires_at })], [], NOW);
    expect(ending('2026-01-15T01:00:00Z')).toEqual([]);
    expect(ending('2026-01-10T00:00:00Z')).toMatchObject([
      { kind: 'certificate', tone: 'warning', values: { count: 9 } },
    ]);
    expect(ending('2026-01-01T05:00:00Z')).toMatchObject([{ kind: 'certificate', tone: 'bad', values: { count: 0 } }]);
  });

  it('says of a certificate that has ended that it has', () => {
    expect(attentionItems([node({ certificate_expires_at: '2025-12-31T23:59:00Z' })], [], NOW)).toMatchObject([
      { kind: 'certificateEnded', tone: 'bad', values: { name: 'near' } },
    ]);
  });
});
