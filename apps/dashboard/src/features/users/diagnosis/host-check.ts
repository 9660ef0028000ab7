import type { Host, HostHealth, User } from '../../../api/types';
import { offeredHosts } from '../offered-hosts';
import type { Check } from './check';

export type ProbedHost = Pick<HostHealth, 'host_id' | 'status' | 'message'>;

/** Whether the subscription has hosts, and whether clients can reach them as the last probes have found. */
export function hostCheck(
  { status }: User,
  tags: readonly string[] | undefined,
  hosts: readonly Host[] | undefined,
  statusFilter: boolean,
  health: readonly ProbedHost[] | undefined,
): Check {
  const check = 'hosts';
  const place = { to: '/hosts' } as const;
  if (tags === undefined || hosts === undefined) return { check, verdict: 'unknown', values: {} };
  const offered = offeredHosts(status, tags, hosts, statusFilter);
  const values = { count: offered.length };
  if (offered.length === 0) return { check, verdict: 'bad', values, place };
  const probed = offered.flatMap(({ id, remark }) => {
    const found = health?.find(({ host_id }) => host_id === id);
    return found && found.status !== 'unknown' ? [{ id, name: remark, state: found.status, said: found.message }] : [];
  });
  if (probed.length === 0) return { check, verdict: 'ok', reason: 'untried', values, place };
  const wrong = probed.filter(({ state }) => state === 'fails' || state === 'partly');
  if (wrong.length === 0) return { check, verdict: 'ok', values };
  const notes = wrong.map(({ id, name, said }) => ({ id, name, said }));
  const isEachFailing = offered.length === wrong.length && wrong.every(({ state }) => state === 'fails');
  if (isEachFailing) return { check, verdict: 'bad', reason: 'fail', values, notes, place };
  return { check, verdict: 'warning', values, notes, place };
}
