import type { ProxySettings } from '@rampart/domain';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The credentials of a user, apart from it: lists of users read the rows of all, and need those of few. */
@Entity('user_proxy_settings')
// Only the name stands here: see the migrations for what TypeORM cannot say.
@Index('user_proxy_settings_credentials', { synchronize: false })
export class UserProxySettings {
  /** Of a user that is deleted, a trigger deletes them. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_proxy_settings_pkey' })
  userId: number;

  @Column({ type: 'jsonb' })
  proxySettings: ProxySettings;
}
