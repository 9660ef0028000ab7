import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import { numberColumn } from '../database/column-types.js';
import { User } from './user.entity.js';

/** The log of resets: how much a user had used when the counter returned to zero. */
@Entity('user_traffic_resets')
@Index('user_traffic_resets_by_user', ['userId', 'resetAt'])
export class UserTrafficReset {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'user_traffic_resets_pkey' })
  id: string;

  @Column({ type: 'integer' })
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_traffic_resets_user_id_fkey' })
  user: Relation<User>;

  @Column({ type: 'bigint', transformer: numberColumn })
  usedTraffic: number;

  @CreateDateColumn({ type: 'timestamptz' })
  resetAt: Date;
}
