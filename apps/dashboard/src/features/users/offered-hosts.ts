import type { Group, Host, User } from '../../api/types';

/** The inbounds to which the enabled ones of these groups give access. */
export const grantedTags = (groups: readonly Group[]): string[] => [
  ...new Set(groups.flatMap(({ is_disabled, inbound_tags }) => (is_disabled ? [] : inbound_tags))),
];

/** The hosts that a user in this state gets, with access to these inbounds. */
export const offeredHosts = (
  status: User['status'],
  tags: readonly string[],
  hosts: readonly Host[],
): readonly Host[] =>
  hosts.filter(
    (host) =>
      !host.is_disabled && tags.includes(host.inbound_tag) && (!host.status?.length || host.status.includes(status)),
  );
