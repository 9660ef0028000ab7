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

/** The log of resets: how much an admin's users had used when the admin's counter returned to zero. One table a month: see log-months.ts. */
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
