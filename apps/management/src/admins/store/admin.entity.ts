import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { numberColumn } from '../../database/column-types.js';
import type { AdminNotifications } from './admin-notifications.dto.js';

@Entity('admins')
@Unique('admins_username', ['username'])
export class Admin {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id: number;

  @Column({ type: 'varchar', length: 128 })
  username: string;

  @Column({ type: 'text' })
  passwordHash: string;

  @Column({ type: 'boolean', default: false })
  isSudo: boolean;

  @Column({ type: 'boolean', default: false })
  isDisabled: boolean;

  /** Part of every access token of this admin; raising it invalidates all of them at once. */
  @Column({ type: 'integer', default: 0 })
  tokenVersion: number;

  @Column({ type: 'bigint', nullable: true, transformer: numberColumn })
  telegramId: number | null;

  /** Decimal digits: such ids have more digits than a number holds exactly. */
  @Column({ type: 'bigint', nullable: true })
  discordId: string | null;

  @Column({ type: 'varchar', length: 1024, nullable: true })
  discordWebhook: string | null;

  /** Replaces the prefix in the subscription URLs of this admin's users. */
  @Column({ type: 'varchar', length: 256, nullable: true })
  subDomain: string | null;

  @Column({ type: 'varchar', length: 512, nullable: true })
  profileTitle: string | null;

  @Column({ type: 'varchar', length: 1024, nullable: true })
  supportUrl: string | null;

  @Column({ type: 'varchar', length: 1024, nullable: true })
  subTemplate: string | null;

  @Column({ type: 'json', nullable: true })
  notificationEnable: AdminNotifications | null;

  /** How many users the admin may have without sudo. 0: any number; null: as many as the setting says. */
  @Column({ type: 'integer', nullable: true })
  maxUsers: number | null;

  /** Bytes of this admin's users since the last reset, those of deleted users included; see ADD_ADMIN_TRAFFIC. */
  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  usedTraffic: number;

  /** Bytes of all periods before the last reset. */
  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  pastTraffic: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
