import type { ProxySettings } from '@rampart/domain';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The credentials of a user, in a table of their own: lists of users read the rows of all users, but credentials of few. */
@Entity('user_proxy_settings')
// Only the name of this index: its definition is in database/schema, because TypeORM cannot express it.
@Index('user_proxy_settings_credentials', { synchronize: false })
export class UserProxySettings {
  /** A trigger deletes the row with the user. */
  @PrimaryColumn({ type: 'integer' })
  userId: number;

  @Column({ type: 'jsonb' })
  proxySettings: ProxySettings;
}
