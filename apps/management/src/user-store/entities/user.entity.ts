import type { DataLimitResetStrategy, UserStatus } from '@rampart/domain';
import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';
import { numberColumn } from '../../database/column-types.js';
import type { NextPlan } from './next-plan.dto.js';

@Entity('users')
@Unique('users_username', ['username'])
@Index('users_admin_id', ['adminId', 'id'])
@Index('users_status', ['status', 'id'])
@Index('users_expire', ['expire', 'id'])
@Index('users_created_at', ['createdAt', 'id'])
// Only the names of these indexes: their definitions are in database/schema, because TypeORM cannot express them.
@Index('users_edit_at', { synchronize: false })
@Index('users_data_limit', { synchronize: false })
@Index('users_end', { synchronize: false })
@Index('users_hold_end', { synchronize: false })
@Index('users_next_reset', { synchronize: false })
@Index('users_pending_plan', { synchronize: false })
@Index('users_own_deletion', { synchronize: false })
@Index('users_default_deletion', { synchronize: false })
export class User {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id: number;

  @Column({ type: 'varchar', length: 128 })
  username: string;

  @Column({ type: 'varchar', length: 16, default: 'active' })
  status: UserStatus;

  @Column({ type: 'varchar', length: 500, nullable: true })
  note: string | null;

  /** The end of the user's time; null: never. */
  @Column({ type: 'timestamptz', nullable: true })
  expire: Date | null;

  /** Bytes that the user may use; 0: unlimited. */
  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  dataLimit: number;

  @Column({ type: 'varchar', length: 16, default: 'no_reset' })
  dataLimitResetStrategy: DataLimitResetStrategy;

  /** Bytes used since the last reset. */
  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  usedTraffic: number;

  /** Bytes used in all periods before the last reset. */
  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  pastTraffic: number;

  /** Seconds that the user's time lasts after a hold; null: the user is not on hold. */
  @Column({ type: 'bigint', nullable: true, transformer: numberColumn })
  onHoldExpireDuration: number | null;

  @Column({ type: 'timestamptz', nullable: true })
  onHoldTimeout: Date | null;

  @Column({ type: 'integer', nullable: true })
  autoDeleteInDays: number | null;

  /** When the traffic counter returns to zero; null: never. */
  @Column({ type: 'timestamptz', nullable: true })
  nextResetAt: Date | null;

  @Column({ type: 'jsonb', nullable: true })
  nextPlan: NextPlan | null;

  /** The moment of the last change of the status, written by a trigger; null: unchanged since the user was created. */
  @Column({ type: 'timestamptz', nullable: true, update: false })
  statusChangedAt: Date | null;

  /** The moment at which nodes last ceased to serve the user, written by a trigger; null: never. */
  @Column({ type: 'timestamptz', nullable: true, insert: false, update: false })
  servedUntil: Date | null;

  /** Part of the subscription token: raising it revokes all links. */
  @Column({ type: 'integer', default: 0 })
  subscriptionGeneration: number;

  @Column({ type: 'integer', nullable: true })
  adminId: number | null;

  /**
   * The relation is named by a string, because this folder must not import admins. Only the database schema needs it.
   */
  @ManyToOne('Admin', { onDelete: 'SET NULL', nullable: true })
  @JoinColumn({ name: 'admin_id' })
  admin: object | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  editAt: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  onlineAt: Date | null;
}

/** The columns of a user that the rules of changes read. */
export type StoredUser = Omit<User, 'admin' | 'statusChangedAt' | 'servedUntil'>;
