import { Column, Entity, Index } from 'typeorm';
import { TrafficReset } from '../../database/traffic-reset.entity.js';

/** The log of resets of users' traffic counters. */
@Entity('user_traffic_resets')
@Index('user_traffic_resets_by_user', ['userId', 'resetAt'])
export class UserTrafficReset extends TrafficReset {
  @Column({ type: 'integer' })
  userId: number;
}
