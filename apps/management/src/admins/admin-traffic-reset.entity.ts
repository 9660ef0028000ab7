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
import { Admin } from './admin.entity.js';

/** The log of resets: how much an admin's users had used when the admin's counter returned to zero. */
@Entity('admin_traffic_resets')
@Index('admin_traffic_resets_by_admin', ['adminId', 'resetAt'])
export class AdminTrafficReset {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'admin_traffic_resets_pkey' })
  id: string;

  @Column({ type: 'integer' })
  adminId: number;

  @ManyToOne(() => Admin, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'admin_id', foreignKeyConstraintName: 'admin_traffic_resets_admin_id_fkey' })
  admin: Relation<Admin>;

  @Column({ type: 'bigint', transformer: numberColumn })
  usedTraffic: number;

  @CreateDateColumn({ type: 'timestamptz' })
  resetAt: Date;
}
