import type { Core, Group, Host, Node, User } from '../../../api/types';

export type Verdict = 'ok' | 'bad' | 'warning' | 'unknown';

/** What an admin can do about a problem right here. */
export type Remedy = 'enable' | 'edit' | 'reset';

/** One thing that must be right before a user can connect. */
export interface Check {
  check: 'status' | 'groups' | 'inbounds' | 'hosts' | 'nodes' | 'cores' | 'fetched' | 'online';
  verdict: Verdict;
  /** Which sentence of `users.checks.<check>` says so, where that of the verdict does not; `follows`: it is no problem of its own. */
  reason?: string;
  /** They fill the sentence. */
  values: Record<string, string | number>;
  remedies?: readonly Remedy[];
}

type StoredCore = Pick<Core, 'id' | 'config'>;

interface Facts {
  user: User;
  /** undefined: this admin may not see them. */
  groups: readonly Group[] | undefined;
  hosts: readonly Host[] | undefined;
  nodes: readonly Node[] | undefined;
  cores: readonly StoredCore[] | undefined;
  /** The last fetch of the subscription; null: never. */
  lastFetch: string | null | undefined;
}

/** Walks the way from the user to its nodes, in the order in which a person would look. */
export function diagnose({ user, groups, hosts, nodes, cores, lastFetch }: Facts): Check[] {
  const own = groups?.filter(({ id }) => user.group_ids.includes(id));
  const enabled = own?.filter(({ is_disabled }) => !is_disabled);
  const tags = enabled && [...new Set(enabled.flatMap(({ inbound_tags }) => inbound_tags))];
  const group = groupCheck(user, own, enabled);
  const inbound = follows(group, inboundCheck(tags));
  return [
    statusCheck(user),
    group,
    inbound,
    follows(inbound, hostCheck(user, tags, hosts)),
    nodeCheck(nodes),
    follows(inbound, coreCheck(tags, nodes, cores)),
    fetchCheck(lastFetch),
    onlineCheck(user),
  ];
}

/** A check of which nothing can be said before the one above it is right. */
const follows = (cause: Check, check: Check): Check =>
  cause.verdict === 'bad' || cause.reason === 'follows'
    ? { check: check.check, verdict: 'unknown', reason: 'follows', values: {} }
    : check;

const STATUS_REMEDIES: Readonly<Record<string, readonly Remedy[]>> = {
  disabled: ['enable'],
  expired: ['edit'],
  limited: ['edit', 'reset'],
};

function statusCheck({ status }: User): Check {
  if (status === 'active' || status === 'on_hold') return { check: 'status', verdict: 'ok', values: { status } };
  const remedies = STATUS_REMEDIES[status];
  return { check: 'status', verdict: 'bad', values: { status }, ...(remedies && { reason: status, remedies }) };
}

function groupCheck(user: User, own: readonly Group[] | undefined, enabled: readonly Group[] | undefined): Check {
  const names = (list: readonly Group[] | undefined) => list?.map(({ name }) => name).join(', ') ?? '';
  const remedies = ['edit'] as const;
  if (user.group_ids.length === 0) return { check: 'groups', verdict: 'bad', values: {}, remedies };
  if (own === undefined || enabled === undefined) return { check: 'groups', verdict: 'unknown', values: {} };
  if (enabled.length === 0)
    return { check: 'groups', verdict: 'bad', reason: 'disabled', values: { names: names(own) }, remedies };
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

/** Subscriptions follow a stored core at once, and nodes when it is applied: what was changed in between fits only one of them. */
function coreCheck(
  tags: readonly string[] | undefined,
  nodes: readonly Node[] | undefined,
  cores: readonly StoredCore[] | undefined,
): Check {
  if (tags === undefined || nodes === undefined || cores === undefined)
    return { check: 'cores', verdict: 'unknown', values: {} };
  const serving = new Set(cores.filter((core) => offersAny(core, tags)).map(({ id }) => id));
  const behind = nodes.filter(
    ({ core_pending: isPending, core_config_id: core, status }) =>
      isPending && status !== 'disabled' && core !== null && serving.has(core),
  );
  if (behind.length === 0) return { check: 'cores', verdict: 'ok', values: {} };
  const names = behind.map(({ name }) => name).join(', ');
  return { check: 'cores', verdict: 'bad', values: { names, count: behind.length } };
}

/** Whether a core has one of these inbounds; a fallback has the name `child<=>parent`. */
function offersAny({ config }: StoredCore, tags: readonly string[]): boolean {
  const inbounds: unknown = config['inbounds'];
  const own = new Set(Array.isArray(inbounds) ? inbounds.map((one: { tag?: unknown } | null) => one?.tag) : []);
  return tags.some((tag) => tag.split('<=>').every((part) => own.has(part)));
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
