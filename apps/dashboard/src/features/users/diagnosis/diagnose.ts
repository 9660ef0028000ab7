import type { Group, Host, Node, User } from '../../../api/types';

export type Verdict = 'ok' | 'bad' | 'warning' | 'unknown';

/** One thing that must be right before a user can connect. `values` fill the sentence `users.checks.<check>.<verdict>`. */
export interface Check {
  check: 'status' | 'groups' | 'inbounds' | 'hosts' | 'nodes' | 'fetched' | 'online';
  verdict: Verdict;
  values: Record<string, string | number>;
}

interface Facts {
  user: User;
  /** undefined: this admin may not see them. */
  groups: readonly Group[] | undefined;
  hosts: readonly Host[] | undefined;
  nodes: readonly Node[] | undefined;
  /** The last fetch of the subscription; null: never. */
  lastFetch: string | null | undefined;
}

/** Walks the way from the user to its nodes, in the order in which a person would look. */
export function diagnose({ user, groups, hosts, nodes, lastFetch }: Facts): Check[] {
  const own = groups?.filter(({ id }) => user.group_ids.includes(id));
  const enabled = own?.filter(({ is_disabled }) => !is_disabled);
  const tags = enabled && [...new Set(enabled.flatMap(({ inbound_tags }) => inbound_tags))];
  return [
    statusCheck(user),
    groupCheck(user, own, enabled),
    inboundCheck(tags),
    hostCheck(user, tags, hosts),
    nodeCheck(nodes),
    fetchCheck(lastFetch),
    onlineCheck(user),
  ];
}

const statusCheck = ({ status }: User): Check => ({
  check: 'status',
  verdict: status === 'active' || status === 'on_hold' ? 'ok' : 'bad',
  values: { status },
});

function groupCheck(user: User, own: readonly Group[] | undefined, enabled: readonly Group[] | undefined): Check {
  const names = (list: readonly Group[] | undefined) => list?.map(({ name }) => name).join(', ') ?? '';
  if (user.group_ids.length === 0) return { check: 'groups', verdict: 'bad', values: {} };
  if (own === undefined || enabled === undefined) return { check: 'groups', verdict: 'unknown', values: {} };
  if (enabled.length === 0) return { check: 'groups', verdict: 'warning', values: { names: names(own) } };
  return { check: 'groups', verdict: 'ok', values: { names: names(enabled) } };
}

function inboundCheck(tags: readonly string[] | undefined): Check {
  if (tags === undefined) return { check: 'inbounds', verdict: 'unknown', values: {} };
  return { check: 'inbounds', verdict: tags.length > 0 ? 'ok' : 'bad', values: { names: tags.join(', ') } };
}

function hostCheck({ status }: User, tags: readonly string[] | undefined, hosts: readonly Host[] | undefined): Check {
  if (tags === undefined || hosts === undefined) return { check: 'hosts', verdict: 'unknown', values: {} };
  const offered = hosts.filter(
    (host) =>
      !host.is_disabled && tags.includes(host.inbound_tag) && (!host.status?.length || host.status.includes(status)),
  );
  return { check: 'hosts', verdict: offered.length > 0 ? 'ok' : 'bad', values: { count: offered.length } };
}

function nodeCheck(nodes: readonly Node[] | undefined): Check {
  if (nodes === undefined) return { check: 'nodes', verdict: 'unknown', values: {} };
  const failing = nodes.filter(({ status }) => status === 'error').map(({ name }) => name);
  const connected = nodes.filter(({ status }) => status === 'connected').length;
  if (connected === 0) return { check: 'nodes', verdict: 'bad', values: { names: failing.join(', ') } };
  if (failing.length > 0)
    return { check: 'nodes', verdict: 'warning', values: { names: failing.join(', '), count: connected } };
  return { check: 'nodes', verdict: 'ok', values: { count: connected } };
}

function fetchCheck(lastFetch: string | null | undefined): Check {
  if (lastFetch === undefined) return { check: 'fetched', verdict: 'unknown', values: {} };
  return { check: 'fetched', verdict: lastFetch === null ? 'warning' : 'ok', values: { at: lastFetch ?? '' } };
}

const onlineCheck = ({ online_at }: User): Check => ({
  check: 'online',
  verdict: online_at === null ? 'warning' : 'ok',
  values: { at: online_at ?? '' },
});
