import type { BulkWork } from '../bulk/bulk-work.js';
import { raiseConfigVersion } from '../database/config-version.js';
import { currentRevision, nextRevision } from '../database/revision.js';
import { changeMemberships, removedMemberships } from '../user-store/memberships.js';
import { IN_GROUPS, UserWhere } from '../user-store/selection/user-where.js';
import { raiseRevision, usersWhere } from '../user-store/served/raise-revision.js';
import type { GroupView } from './group.dto.js';
import type { GroupRepository } from './group.repository.js';

/** A group whose change the nodes of its members must hear of. */
interface ChangedGroup {
  readonly group_id: number;
}

/** A group that is deleted when its last member has left it. */
interface EndingGroup extends ChangedGroup {
  readonly before: GroupView;
  /** Whether it has granted inbounds, so that nodes must hear of its members. */
  readonly has_granted: boolean;
}

const members = ({ terms }: { terms: ChangedGroup }): UserWhere => new UserWhere().and(IN_GROUPS, [terms.group_id]);

/** Tells nodes of the members of a group that grants other inbounds now. Its own audit entry is that of the group. */
export const ANNOUNCEMENT: BulkWork<ChangedGroup> = {
  action: 'group.announce',
  target: members,
  async apply(manager, _request, batch) {
    await raiseRevision(manager, await nextRevision(manager), usersWhere(batch));
    return { count: 0 };
  },
};

/**
 * Takes the members out of a group that grants nothing any more, and then deletes it. Nodes never hear of members that come
 * meanwhile: the group cannot be enabled.
 */
export const deletionOf = (groups: GroupRepository): BulkWork<EndingGroup> => ({
  action: 'group.delete',
  target: members,
  async apply(manager, { terms: { group_id, has_granted } }, batch) {
    const revision = has_granted ? await nextRevision(manager) : await currentRevision(manager);
    const granting = has_granted ? [group_id] : [];
    return { count: await changeMemberships(manager, revision, removedMemberships(batch), [group_id], granting) };
  },
  async finish(manager, { terms: { group_id } }) {
    await raiseConfigVersion(manager);
    await groups.delete(manager, group_id);
  },
  audited: ({ terms: { group_id, before } }) => ({ target: `group/${group_id}`, before }),
});
