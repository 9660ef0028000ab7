import type { ProxySettings } from '@rampart/domain';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The credentials of a user, in a table of their own: lists of users read the rows of all users, but credentials of few. */
@Entity('user_proxy_settings')
// Only the name of this index: its definition is in database/schema, because TypeORM cannot express it.
@Index('user_proxy_settings_unclaimed', { synchronize: false })
export class UserProxySettings {
  /** A trigger deletes the row with the user. */
  @PrimaryColumn({ type: 'integer' })
  userId: number;

  /**
   * Protocols for which an older holder has the same credential; nodes are not given those. Null: the row was written by
   * another program, and its keys are not known yet.
   */
  @Column({ type: 'text', array: true, nullable: true })
  clashes: string[] | null;

  @Column({ type: 'jsonb' })
  proxySettings: ProxySettings;
}
