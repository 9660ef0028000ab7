import type { GroupView } from './group.dto.js';
import type { Group } from './group.entity.js';

/** A group as the API shows it. */
export const groupView = (group: Group): GroupView => ({
  name: group.name,
  inbound_tags: group.inboundTags,
  is_disabled: group.isDisabled,
  id: group.id,
  total_users: group.totalUsers,
});
