import { describe, expect, it } from '@jest/globals';
import type { Group, Host, User } from '../../../api/types';
import { localHosts } from './local-hosts';

const user = { status: 'active', group_ids: [1] } as User;
const groups = [
  { id: 1, inbound_tags: ['a'], is_disabled: false },
  { id: 2, inbound_tags: ['b'], is_disabled: false },
] as Group[];
const host = (remark: string, inbound_tag: string, ...address: string[]) => ({ remark, inbound_tag, address }) as Host;

describe(localHosts.name, () => {
  it('are the hosts of a subscription with an address that leads to the machine of the client', () => {
    const hosts = [
      host('here', 'a', '127.0.0.1'),
      host('one of two', 'a', '192.0.2.1', 'localhost'),
      host('elsewhere', 'a', '192.0.2.1'),
      host('of another group', 'b', '127.0.0.1'),
      { ...host('off', 'a', '127.0.0.1'), is_disabled: true },
    ];
    expect(localHosts(user, groups, hosts, true).map(({ remark }) => remark)).toEqual(['here', 'one of two']);
    expect(localHosts({ ...user, group_ids: [] }, groups, hosts, true)).toEqual([]);
  });

  it('has hosts for other statuses where the settings give every host to every status', () => {
    const hosts = [{ ...host('for limited users', 'a', '127.0.0.1'), status: ['limited'] }] as Host[];
    expect(localHosts(user, groups, hosts, true)).toEqual([]);
    expect(localHosts(user, groups, hosts, false)).toEqual(hosts);
  });
});
