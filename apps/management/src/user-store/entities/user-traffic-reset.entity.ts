import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { numberColumn } from '../../database/column-types.js';

/** The log of resets of users' traffic counters: the bytes at each reset. Partitioned by month, see log-months.ts. */
@Entity('user_traffic_resets')
@Index('user_traffic_resets_by_user', ['userId', 'resetAt'])
export class UserTrafficReset {
  @PrimaryGeneratedColumn('increment', { type: 'bigint', primaryKeyConstraintName: 'user_traffic_resets_pkey' })
  id: string;

  @Column({ type: 'integer' })
  userId: number;

  @Column({ type: 'bigint', transformer: numberColumn })
  usedTraffic: number;

  @PrimaryColumn({ type: 'timestamptz', default: () => 'now()', primaryKeyConstraintName: 'user_traffic_resets_pkey' })
  resetAt: Date;
}
