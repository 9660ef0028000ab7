import type { Group, Host, Node, User } from '../../../api/types';
import { grantedTags } from '../offered-hosts';
import type { Check, Remedy } from './check';
import { hostCheck, type ProbedHost } from './host-check';
import { coreChecks, nodeCheck, type StoredCore } from './node-checks';

interface Facts {
  user: User;
  /** undefined: this admin may not see them. */
  groups: readonly Group[] | undefined;
  hosts: readonly Host[] | undefined;
  /** The setting by which hosts that name statuses are only for users in one of them. */
  statusFilter: boolean;
  /** undefined also where it could not be loaded. */
  health: readonly ProbedHost[] | undefined;
  nodes: readonly Node[] | undefined;
  cores: readonly StoredCore[] | undefined;
  /** The last fetch of the subscription; null: never. */
  lastFetch: string | null | undefined;
}

/** Walks the way from the user to its nodes, in the order in which a person would look. */
export function diagnose({ user, groups, hosts, statusFilter, health, nodes, cores, lastFetch }: Facts): Check[] {
  const own = groups?.filter(({ id }) => user.group_ids.includes(id));
  const enabled = own?.filter(({ is_disabled }) => !is_disabled);
  const tags = own && grantedTags(own);
  const group = groupCheck(user, own, enabled);
  const inbound = follows(group, inboundCheck(tags));
  return [
    statusCheck(user),
    group,
    inbound,
    follows(inbound, hostCheck(user, tags, hosts, statusFilter, health)),
    nodeCheck(tags, nodes, cores),
    ...(isBroken(inbound) ? [following('cores')] : coreChecks(tags, nodes, cores)),
    fetchCheck(lastFetch),
    onlineCheck(user),
  ];
}

/** A check of which nothing can be said before the one above it is right. */
const follows = (cause: Check, check: Check): Check => (isBroken(cause) ? following(check.check) : check);

const isBroken = ({ verdict, reason }: Check): boolean => verdict === 'bad' || reason === 'follows';
const following = (check: Check['check']): Check => ({ check, verdict: 'unknown', reason: 'follows', values: {} });

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

function fetchCheck(lastFetch: string | null | undefined): Check {
  if (lastFetch === undefined) return { check: 'fetched', verdict: 'unknown', values: {} };
  return { check: 'fetched', verdict: lastFetch === null ? 'warning' : 'ok', values: { at: lastFetch ?? '' } };
}

const onlineCheck = ({ online_at }: User): Check => ({
  check: 'online',
  verdict: online_at === null ? 'warning' : 'ok',
  values: { at: online_at ?? '' },
});
