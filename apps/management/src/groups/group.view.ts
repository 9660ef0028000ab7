import { withVersion } from '../http/version.js';
import type { GroupView } from './group.dto.js';
import type { Group } from './group.entity.js';

/** A group as the API shows it. */
export const groupView = (group: Group): GroupView => {
  const edited = { name: group.name, inbound_tags: group.inboundTags, is_disabled: group.isDisabled };
  return withVersion({ ...edited, id: group.id, total_users: group.totalUsers }, edited);
};
