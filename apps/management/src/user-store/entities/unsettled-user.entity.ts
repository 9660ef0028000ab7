import { Column, Entity, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/** A user whose due change fails, set aside so that the life cycle of all others continues. */
@Entity('unsettled_users')
export class UnsettledUser {
  @PrimaryColumn({ type: 'integer' })
  userId: number;

  @OneToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user: Relation<User>;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  since: Date;

  /** The change is not tried before this moment. */
  @Column({ type: 'timestamptz' })
  retryAt: Date;
}
