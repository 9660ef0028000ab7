import { Column, Entity, PrimaryColumn } from 'typeorm';
import { numberColumn } from '../database/column-types.js';

/** What the users whom an admin owned then used through a node in an hour, those who are deleted now included. */
@Entity('admin_usages')
export class AdminUsage {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'admin_usages_pkey' })
  adminId: number;

  @PrimaryColumn({ type: 'timestamptz', primaryKeyConstraintName: 'admin_usages_pkey' })
  hour: Date;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'admin_usages_pkey' })
  nodeId: number;

  @Column({ type: 'bigint', transformer: numberColumn })
  usedTraffic: number;
}
