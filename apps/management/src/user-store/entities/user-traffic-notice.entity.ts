import { Column, Entity, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/** Traffic has come that may change a user's status: a limit was reached, or a hold met its first traffic. */
@Entity('user_traffic_notices')
export class UserTrafficNotice {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_traffic_notices_pkey' })
  userId: number;

  @OneToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_traffic_notices_user_id_fkey' })
  user: Relation<User>;

  /** None of that traffic was made before; `-infinity` where that is unknown. */
  @Column({ type: 'timestamptz' })
  trafficSince: Date;
}
