import { DataSource } from 'typeorm';
import { Admin } from '../admins/admin.entity.js';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { Core } from '../cores/core.entity.js';
import { Group } from '../groups/group.entity.js';
import { Host } from '../hosts/host.entity.js';
import { Node } from '../nodes/node.entity.js';
import { UserTemplate } from '../user-templates/user-template.entity.js';
import { UserTemplateGroup } from '../user-templates/user-template-group.entity.js';
import { User } from '../users/user.entity.js';
import { UserGroup } from '../users/user-group.entity.js';
import { UserTombstone } from '../users/user-tombstone.entity.js';
import { UserTrafficReset } from '../users/user-traffic-reset.entity.js';
import { Counter } from './counter.entity.js';
import { FirstLight1763719200000 } from './migrations/1763719200000-first-light.js';
import { UserTemplates1763719400000 } from './migrations/1763719400000-user-templates.js';
import { UserTrafficResets1763719500000 } from './migrations/1763719500000-user-traffic-resets.js';
import { UserLists1763719510000 } from './migrations/1763719510000-user-lists.js';
import { CoreChanges1763719600000 } from './migrations/1763719600000-core-changes.js';
import { Audit1763719690000 } from './migrations/1763719690000-audit.js';
import { SnakeNaming } from './snake-naming.js';

export function createDataSource(url: string): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    entities: [
      Admin,
      AuditEntry,
      Core,
      Counter,
      Group,
      Host,
      Node,
      User,
      UserGroup,
      UserTemplate,
      UserTemplateGroup,
      UserTombstone,
      UserTrafficReset,
    ],
    migrations: [
      FirstLight1763719200000,
      UserTemplates1763719400000,
      UserTrafficResets1763719500000,
      UserLists1763719510000,
      CoreChanges1763719600000,
      Audit1763719690000,
    ],
    namingStrategy: new SnakeNaming(),
    applicationName: 'rampart-management',
    connectTimeoutMS: 5_000,
  });
}
