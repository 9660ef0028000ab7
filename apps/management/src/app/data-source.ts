import { DefaultNamingStrategy, type MigrationInterface, type NamingStrategyInterface, type Table } from 'typeorm';
import { KnownOrigin } from '../admins/passwords/known-origin.entity.js';
import { LoginFailures } from '../admins/passwords/login-failures.entity.js';
import { PasswordWithoutCode } from '../admins/passwords/password-without-code.entity.js';
import { UnknownNameFailures } from '../admins/passwords/unknown-name-failures.entity.js';
import { Admin } from '../admins/store/admin.entity.js';
import { AdminTrafficReset } from '../admins/store/admin-traffic-reset.entity.js';
import { UserCreations } from '../admins/store/user-creations.entity.js';
import { ApiToken } from '../api-tokens/api-token.entity.js';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { BulkOperation } from '../bulk/bulk-operation.entity.js';
import { Core } from '../core-store/core.entity.js';
import { Counter } from '../database/counter.entity.js';
import { Database } from '../database/database.js';
import { FirstSchema1764000000000 } from '../database/migrations/1764000000000-first-schema.js';
import { type DatabaseSettings, DEFAULT_SETTINGS } from '../env/database-settings.js';
import { Group } from '../groups/group.entity.js';
import { Host } from '../hosts/host.entity.js';
import { HostHealth } from '../hosts/host-health.entity.js';
import { HostProbe } from '../hosts/host-probe.entity.js';
import { KnownKey } from '../known-keys/known-key.entity.js';
import { Node } from '../nodes/store/node.entity.js';
import { NodeAuthority } from '../nodes/store/node-authority.entity.js';
import { PastNodeTag } from '../nodes/store/past-node-tag.entity.js';
import { CounterReading } from '../nodes/traffic/counter-reading.entity.js';
import { UserCounter } from '../nodes/traffic/user-counter.entity.js';
import { Session } from '../sessions/session.entity.js';
import { StoredSettings } from '../settings/stored-settings.entity.js';
import { SubscriptionUpdates } from '../subscriptions/updates/subscription-update.entity.js';
import { Totp } from '../totp/totp.entity.js';
import { AdminUsage } from '../usage/admin-usage.entity.js';
import { NodeUsage } from '../usage/node-usage.entity.js';
import { NodeUserUsage } from '../usage/node-user-usage.entity.js';
import { PastGroupTag } from '../user-store/entities/past-group-tag.entity.js';
import { PastUserTag } from '../user-store/entities/past-user-tag.entity.js';
import { ProbeUser } from '../user-store/entities/probe-user.entity.js';
import { UnsettledUser } from '../user-store/entities/unsettled-user.entity.js';
import { User } from '../user-store/entities/user.entity.js';
import { UserCredentialKeys } from '../user-store/entities/user-credential-keys.entity.js';
import { UserGroup } from '../user-store/entities/user-group.entity.js';
import { UserProxySettings } from '../user-store/entities/user-proxy-settings.entity.js';
import { UserRevision } from '../user-store/entities/user-revision.entity.js';
import { UserSearch } from '../user-store/entities/user-search.entity.js';
import { UserTombstone } from '../user-store/entities/user-tombstone.entity.js';
import { UserTrafficNotice } from '../user-store/entities/user-traffic-notice.entity.js';
import { UserTrafficReset } from '../user-store/entities/user-traffic-reset.entity.js';
import { UserTemplate } from '../user-templates/user-template.entity.js';
import { UserTemplateGroup } from '../user-templates/user-template-group.entity.js';

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Maps `createdAt` in the code to `created_at` in the database, and names keys of tables as PostgreSQL does by default. */
class SnakeNaming extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(propertyName: string, customName: string): string {
    return customName || snake(propertyName);
  }

  override joinColumnName(relationName: string, referencedColumnName: string): string {
    return snake(`${relationName}_${referencedColumnName}`);
  }

  override primaryKeyName(table: Table | string): string {
    return `${this.getTableName(table)}_pkey`;
  }

  override foreignKeyName(table: Table | string, columnNames: string[]): string {
    return `${this.getTableName(table)}_${columnNames.join('_')}_fkey`;
  }
}

/** All migrations, oldest first. */
export const MIGRATIONS: (new () => MigrationInterface)[] = [FirstSchema1764000000000];

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
        Session,
        Totp,
        AuditEntry,
        BulkOperation,
        Core,
        Counter,
        CounterReading,
        Group,
        Host,
        HostHealth,
        HostProbe,
        KnownKey,
        KnownOrigin,
        LoginFailures,
        Node,
        NodeAuthority,
        NodeUsage,
        NodeUserUsage,
        PastGroupTag,
        PastNodeTag,
        PastUserTag,
        PasswordWithoutCode,
        ProbeUser,
        StoredSettings,
        SubscriptionUpdates,
        UnknownNameFailures,
        UnsettledUser,
        User,
        UserCreations,
        UserCounter,
        UserGroup,
        UserCredentialKeys,
        UserProxySettings,
        UserRevision,
        UserSearch,
        UserTemplate,
        UserTemplateGroup,
        UserTombstone,
        UserTrafficNotice,
        UserTrafficReset,
      ],
      migrations: MIGRATIONS,
      namingStrategy: new SnakeNaming(),
    },
  );
}
