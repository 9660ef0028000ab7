import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { User } from '../../users/user.entity.js';

/** That an application has fetched a subscription. Of each user the newest few are kept. */
@Entity('user_subscription_updates')
@Index('user_subscription_updates_by_user', ['userId', 'createdAt'])
export class SubscriptionUpdate {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'user_subscription_updates_pkey' })
  id: string;

  @Column({ type: 'integer' })
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_subscription_updates_user_id_fkey' })
  user: Relation<User>;

  @Column({ type: 'varchar', length: 256 })
  userAgent: string;

  @Column({ type: 'timestamptz' })
  createdAt: Date;
}
