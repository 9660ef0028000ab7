import { Column, Entity, Index, JoinColumn, ManyToOne, type Relation } from 'typeorm';
import { TrafficReset } from '../../database/traffic-reset.entity.js';
import { Admin } from './admin.entity.js';

/** The log of resets of admins' traffic counters. */
@Entity('admin_traffic_resets')
@Index('admin_traffic_resets_by_admin', ['adminId', 'resetAt'])
export class AdminTrafficReset extends TrafficReset {
  @Column({ type: 'integer' })
  adminId: number;

  @ManyToOne(() => Admin, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'admin_id' })
  admin: Relation<Admin>;
}
