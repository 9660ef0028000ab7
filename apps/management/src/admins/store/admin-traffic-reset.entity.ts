import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import { numberColumn } from '../../database/column-types.js';
import { Admin } from './admin.entity.js';

/** The log of resets of admins' traffic counters: the bytes at each reset. Partitioned by month, see log-months.ts. */
@Entity('admin_traffic_resets')
@Index('admin_traffic_resets_by_admin', ['adminId', 'resetAt'])
export class AdminTrafficReset {
  @PrimaryGeneratedColumn('increment', { type: 'bigint', primaryKeyConstraintName: 'admin_traffic_resets_pkey' })
  id: string;

  @Column({ type: 'integer' })
  adminId: number;

  @ManyToOne(() => Admin, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'admin_id', foreignKeyConstraintName: 'admin_traffic_resets_admin_id_fkey' })
  admin: Relation<Admin>;

  @Column({ type: 'bigint', transformer: numberColumn })
  usedTraffic: number;

  @PrimaryColumn({ type: 'timestamptz', default: () => 'now()', primaryKeyConstraintName: 'admin_traffic_resets_pkey' })
  resetAt: Date;
}
