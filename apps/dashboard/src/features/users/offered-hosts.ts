import type { Group, Host, User } from '../../api/types';

/** The inbounds to which the enabled ones of these groups give access. */
export const grantedTags = (groups: readonly Group[]): string[] => [
  ...new Set(groups.flatMap(({ is_disabled, inbound_tags }) => (is_disabled ? [] : inbound_tags))),
];

/**
 * The hosts that a user in this state gets, with access to these inbounds.
 * @param statusFilter is the setting by which hosts that name statuses are only for users in one of them
 */
export const offeredHosts = (
  status: User['status'],
  tags: readonly string[],
  hosts: readonly Host[],
  statusFilter: boolean,
): readonly Host[] =>
  hosts.filter(
    (host) =>
      !host.is_disabled &&
      tags.includes(host.inbound_tag) &&
      (!statusFilter || !host.status?.length || host.status.includes(status)),
  );
