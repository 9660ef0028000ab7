import { Admin } from '../admins/admin.entity.js';
import { AdminTrafficReset } from '../admins/admin-traffic-reset.entity.js';
import { ApiToken } from '../api-tokens/api-token.entity.js';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { LoginFailures } from '../auth/login-failures.entity.js';
import { BulkOperation } from '../bulk/bulk-operation.entity.js';
import { Core } from '../cores/core.entity.js';
import { Group } from '../groups/group.entity.js';
import { Host } from '../hosts/host.entity.js';
import { KnownKey } from '../keys/known-key.entity.js';
import { CounterReading } from '../nodes/counter-reading.entity.js';
import { Node } from '../nodes/node.entity.js';
import { UserCounter } from '../nodes/user-counter.entity.js';
import { StoredSettings } from '../settings/stored-settings.entity.js';
import { SubscriptionUpdates } from '../subscriptions/updates/subscription-update.entity.js';
import { AdminUsage } from '../usage/admin-usage.entity.js';
import { NodeUsage } from '../usage/node-usage.entity.js';
import { NodeUserUsage } from '../usage/node-user-usage.entity.js';
import { UserTemplate } from '../user-templates/user-template.entity.js';
import { UserTemplateGroup } from '../user-templates/user-template-group.entity.js';
import { UnsettledUser } from '../users/life-cycle/unsettled-user.entity.js';
import { UserTrafficNotice } from '../users/life-cycle/user-traffic-notice.entity.js';
import { User } from '../users/user.entity.js';
import { UserGroup } from '../users/user-group.entity.js';
import { UserProxySettings } from '../users/user-proxy-settings.entity.js';
import { UserRevision } from '../users/user-revision.entity.js';
import { UserSearch } from '../users/user-search.entity.js';
import { UserTombstone } from '../users/user-tombstone.entity.js';
import { UserTrafficReset } from '../users/user-traffic-reset.entity.js';
import { Counter } from './counter.entity.js';
import { Database } from './database.js';
import { type DatabaseSettings, DEFAULT_SETTINGS } from './database-settings.js';
import { FirstLight1763719200000 } from './migrations/1763719200000-first-light.js';
import { UserTemplates1763719400000 } from './migrations/1763719400000-user-templates.js';
import { UserTrafficResets1763719500000 } from './migrations/1763719500000-user-traffic-resets.js';
import { UserLists1763719510000 } from './migrations/1763719510000-user-lists.js';
import { CoreChanges1763719600000 } from './migrations/1763719600000-core-changes.js';
import { Audit1763719690000 } from './migrations/1763719690000-audit.js';
import { Admins1763719700000 } from './migrations/1763719700000-admins.js';
import { UserRevisions1763719710000 } from './migrations/1763719710000-user-revisions.js';
import { GroupSizes1763719711000 } from './migrations/1763719711000-group-sizes.js';
import { UserSearches1763719712000 } from './migrations/1763719712000-user-searches.js';
import { UserLifeCycle1763719720000 } from './migrations/1763719720000-user-life-cycle.js';
import { UsageHistory1763719750000 } from './migrations/1763719750000-usage-history.js';
import { Settings1763719760000 } from './migrations/1763719760000-settings.js';
import { SubscriptionUpdates1763719770000 } from './migrations/1763719770000-subscription-updates.js';
import { UserCredentials1763719780000 } from './migrations/1763719780000-user-credentials.js';
import { NarrowUsers1763719790000 } from './migrations/1763719790000-narrow-users.js';
import { SubscriptionUpdatesByUser1763719800000 } from './migrations/1763719800000-subscription-updates-by-user.js';
import { LoginNetworks1763719810000 } from './migrations/1763719810000-login-networks.js';
import { BulkOperations1763720300000 } from './migrations/1763720300000-bulk-operations.js';
import { KnownKeys1763720310000 } from './migrations/1763720310000-known-keys.js';
import { ApiTokens1763720320000 } from './migrations/1763720320000-api-tokens.js';
import { LogMonths1763720330000 } from './migrations/1763720330000-log-months.js';
import { CounterReadings1763720410000 } from './migrations/1763720410000-counter-readings.js';
import { PlannedTemplates1763720420000 } from './migrations/1763720420000-planned-templates.js';
import { SnakeNaming } from './snake-naming.js';

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
      migrations: [
        FirstLight1763719200000,
        UserTemplates1763719400000,
        UserTrafficResets1763719500000,
        UserLists1763719510000,
        CoreChanges1763719600000,
        Audit1763719690000,
        Admins1763719700000,
        UserRevisions1763719710000,
        GroupSizes1763719711000,
        UserSearches1763719712000,
        UserLifeCycle1763719720000,
        UsageHistory1763719750000,
        Settings1763719760000,
        SubscriptionUpdates1763719770000,
        UserCredentials1763719780000,
        NarrowUsers1763719790000,
        SubscriptionUpdatesByUser1763719800000,
        LoginNetworks1763719810000,
        BulkOperations1763720300000,
        KnownKeys1763720310000,
        ApiTokens1763720320000,
        LogMonths1763720330000,
        CounterReadings1763720410000,
        PlannedTemplates1763720420000,
      ],
      namingStrategy: new SnakeNaming(),
    },
  );
}
