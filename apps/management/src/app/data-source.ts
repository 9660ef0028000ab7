import { LoginFailures } from '../admins/passwords/login-failures.entity.js';
import { Admin } from '../admins/store/admin.entity.js';
import { AdminTrafficReset } from '../admins/store/admin-traffic-reset.entity.js';
import { ApiToken } from '../api-tokens/api-token.entity.js';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { BulkOperation } from '../bulk/bulk-operation.entity.js';
import { Core } from '../core-store/core.entity.js';
import { Counter } from '../database/counter.entity.js';
import { Database } from '../database/database.js';
import { FirstSchema1764000000000 } from '../database/migrations/1764000000000-first-schema.js';
import { SnakeNaming } from '../database/snake-naming.js';
import { type DatabaseSettings, DEFAULT_SETTINGS } from '../env/database-settings.js';
import { Group } from '../groups/group.entity.js';
import { Host } from '../hosts/host.entity.js';
import { KnownKey } from '../known-keys/known-key.entity.js';
import { Node } from '../nodes/store/node.entity.js';
import { CounterReading } from '../nodes/traffic/counter-reading.entity.js';
import { UserCounter } from '../nodes/traffic/user-counter.entity.js';
import { StoredSettings } from '../settings/stored-settings.entity.js';
import { SubscriptionUpdates } from '../subscriptions/updates/subscription-update.entity.js';
import { AdminUsage } from '../usage/admin-usage.entity.js';
import { NodeUsage } from '../usage/node-usage.entity.js';
import { NodeUserUsage } from '../usage/node-user-usage.entity.js';
import { UnsettledUser } from '../user-store/entities/unsettled-user.entity.js';
import { User } from '../user-store/entities/user.entity.js';
import { UserGroup } from '../user-store/entities/user-group.entity.js';
import { UserProxySettings } from '../user-store/entities/user-proxy-settings.entity.js';
import { UserRevision } from '../user-store/entities/user-revision.entity.js';
import { UserSearch } from '../user-store/entities/user-search.entity.js';
import { UserTombstone } from '../user-store/entities/user-tombstone.entity.js';
import { UserTrafficNotice } from '../user-store/entities/user-traffic-notice.entity.js';
import { UserTrafficReset } from '../user-store/entities/user-traffic-reset.entity.js';
import { UserTemplate } from '../user-templates/user-template.entity.js';
import { UserTemplateGroup } from '../user-templates/user-template-group.entity.js';

export function createDataSource(url: string, settings: Partial<DatabaseSettings> = {}): Database {
  return new Database(
    url,
    { ...DEFAULT_SETTINGS, ...settings },
    {
      entities: [
        Admin,
        AdminTrafficReset,
        AdminUsage,
        ApiToken,
        AuditEntry,
        BulkOperation,
        Core,
        Counter,
        CounterReading,
        Group,
        Host,
        KnownKey,
        LoginFailures,
        Node,
        NodeUsage,
        NodeUserUsage,
        StoredSettings,
        SubscriptionUpdates,
        UnsettledUser,
        User,
        UserCounter,
        UserGroup,
        UserProxySettings,
        UserRevision,
        UserSearch,
        UserTemplate,
        UserTemplateGroup,
        UserTombstone,
        UserTrafficNotice,
        UserTrafficReset,
      ],
      migrations: [FirstSchema1764000000000],
      namingStrategy: new SnakeNaming(),
    },
  );
}
