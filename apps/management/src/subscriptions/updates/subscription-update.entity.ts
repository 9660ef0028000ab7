import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which applications have fetched a user's subscription, and when: the newest few, the newest first. */
@Entity('user_subscription_updates')
export class SubscriptionUpdates {
  /** Of a user that is deleted, a trigger deletes them. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_subscription_updates_pkey' })
  userId: number;

  @Column({ type: 'text', array: true })
  userAgents: string[];

  /** As many. */
  @Column({ type: 'timestamptz', array: true })
  fetchedAt: Date[];
}
