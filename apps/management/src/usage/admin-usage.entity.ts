import { Column, Entity, PrimaryColumn } from 'typeorm';
import { numberColumn } from '../database/column-types.js';

/** The traffic, through a node in one hour, of the users whom an admin owned then, including users deleted since. */
@Entity('admin_usages')
export class AdminUsage {
  @PrimaryColumn({ type: 'integer' })
  adminId: number;

  @PrimaryColumn({ type: 'timestamptz' })
  hour: Date;

  @PrimaryColumn({ type: 'integer' })
  nodeId: number;

  @Column({ type: 'bigint', transformer: numberColumn })
  usedTraffic: number;
}
