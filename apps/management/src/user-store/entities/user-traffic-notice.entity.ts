import { Column, Entity, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/** A queued check of a user whose status may change by traffic: a limit was reached, or a hold met its first traffic. */
@Entity('user_traffic_notices')
export class UserTrafficNotice {
  @PrimaryColumn({ type: 'integer' })
  userId: number;

  @OneToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user: Relation<User>;

  /** None of the traffic was made before this moment; `-infinity` when that is unknown. */
  @Column({ type: 'timestamptz' })
  trafficSince: Date;
}
