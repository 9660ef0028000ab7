import { DataSource } from 'typeorm';
import { Admin } from '../admins/admin.entity.js';
import { Core } from '../cores/core.entity.js';
import { Group } from '../groups/group.entity.js';
import { Host } from '../hosts/host.entity.js';
import { Node } from '../nodes/node.entity.js';
import { User } from '../users/user.entity.js';
import { UserGroup } from '../users/user-group.entity.js';
import { UserTombstone } from '../users/user-tombstone.entity.js';
import { Counter } from './counter.entity.js';
import { FirstLight1763719200000 } from './migrations/1763719200000-first-light.js';
import { SnakeNaming } from './snake-naming.js';

export function createDataSource(url: string): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    entities: [Admin, Core, Counter, Group, Host, Node, User, UserGroup, UserTombstone],
    migrations: [FirstLight1763719200000],
    namingStrategy: new SnakeNaming(),
    applicationName: 'rampart-management',
    connectTimeoutMS: 5_000,
  });
}
