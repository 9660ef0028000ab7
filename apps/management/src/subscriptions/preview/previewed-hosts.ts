import { type SubscriptionFormat, TemplateCache } from '@rampart/subscription';
import type { Host } from '../../hosts/host.entity.js';
import { singBoxVersion } from '../client.js';
import { grantsTo, renderSubscriptionOf } from '../render.js';
import type { Subscription } from '../subscription-reader.js';
import type { AbsenceReason, PreviewedHost } from './preview.dto.js';

type Absence = readonly [reason: AbsenceReason, message: string];

/**
 * All hosts in the order of the subscription, each with its name or the reason why the client does not get it.
 *
 * @param format null: the client is refused
 */
export function previewedHosts(
  subscription: Subscription,
  hosts: readonly Host[],
  format: SubscriptionFormat | null,
  userAgent: string,
): PreviewedHost[] {
  const names = namesOf(subscription);
  const ordered = hosts.toSorted((one, other) => one.priority - other.priority || one.id - other.id);
  return ordered.map((host) => {
    const [reason, message] = absenceOf(subscription, host, format, userAgent) ?? [null, null];
    const name = reason === null ? (names.get(host.id) ?? null) : null;
    return { id: host.id === 0 ? null : host.id, remark: host.remark, name, reason, message };
  });
}

/** The display names of the hosts that the user gets in some format. */
function namesOf(subscription: Subscription): ReadonlyMap<number, string> {
  const settings = { ...subscription.settings, randomize_order: false };
  const { proxies } = renderSubscriptionOf({ ...subscription, settings }, 'links');
  const selected = subscription.snapshot.hosts.hosts.filter(
    ({ inbound, status }) => grantsTo(subscription).has(inbound.tag) && isForStatus(subscription, status),
  );
  return new Map(selected.map(({ id }, index) => [id, proxies[index]?.name ?? '']));
}

const isForStatus = ({ user, settings }: Subscription, status: readonly string[] | undefined): boolean =>
  !settings.host_status_filter || !status || status.length === 0 || status.includes(user.status);

function absenceOf(
  subscription: Subscription,
  host: Host,
  format: SubscriptionFormat | null,
  userAgent: string,
): Absence | undefined {
  const { user, snapshot } = subscription;
  if (host.isDisabled) return ['disabled', 'the host is disabled'];
  const problem = snapshot.hosts.problems.find(({ hostId }) => hostId === host.id);
  if (!grantsTo(subscription).has(host.inboundTag))
    return ['not_granted', `no enabled group of the user has the inbound ${host.inboundTag}`];
  if (!isForStatus(subscription, host.status))
    return ['status', `the host is for users who are ${host.status.join(', ')}, and the user is ${user.status}`];
  if (problem) return ['broken', problem.message];
  if (!snapshot.hosts.hosts.some(({ id }) => id === host.id))
    return ['failing', 'the host fails its probes, and the settings leave such hosts out'];
  if (format === null) return ['refused', 'the rules of the settings refuse this client'];
  if (!isCarried(subscription, host.id, format, userAgent))
    return ['not_carried', `the format ${format} cannot carry it for this client`];
  return undefined;
}

/** Whether a document with this host alone contains it. */
function isCarried(subscription: Subscription, id: number, format: SubscriptionFormat, userAgent: string): boolean {
  const { hosts } = subscription.snapshot;
  const alone = { ...hosts, hosts: hosts.hosts.filter((host) => host.id === id) };
  const snapshot = { ...subscription.snapshot, hosts: alone, templates: new TemplateCache() };
  return renderSubscriptionOf({ ...subscription, snapshot }, format, singBoxVersion(userAgent)).leftOut === 0;
}
