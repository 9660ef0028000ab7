import type { Group, Host, User } from '../../../api/types';
import { isLoopback } from '../../../ui/share/loopback';
import { grantedTags, offeredHosts } from '../offered-hosts';

/** The hosts in the subscription of a user with an address that leads every client to itself. */
export function localHosts(
  user: User,
  groups: readonly Group[],
  hosts: readonly Host[],
  statusFilter: boolean,
): Host[] {
  const own = groups.filter(({ id }) => user.group_ids.includes(id));
  return offeredHosts(user.status, grantedTags(own), hosts, statusFilter).filter(({ address }) =>
    address.some(isLoopback),
  );
}
