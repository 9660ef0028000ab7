import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The latest fetches of the subscription of a user, newest first. */
@Entity('user_subscription_updates')
export class SubscriptionUpdates {
  /** A trigger deletes the row together with its user. */
  @PrimaryColumn({ type: 'integer' })
  userId: number;

  @Column({ type: 'text', array: true })
  userAgents: string[];

  /** The time of each fetch, in the same order as `userAgents`. */
  @Column({ type: 'timestamptz', array: true })
  fetchedAt: Date[];
}
