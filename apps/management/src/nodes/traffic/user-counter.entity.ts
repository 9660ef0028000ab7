import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../database/column-types.js';

/**
 * What a node's counters of one user said in its last reading. As a row for each user a reading writes those who had
 * traffic; one document for each node would be written as a whole, 2 MB for 100,000 users.
 */
@Entity('user_counters')
export class UserCounter {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_counters_pkey' })
  nodeId: number;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_counters_pkey' })
  userId: number;

  @Column({ type: 'bigint', transformer: bigintColumn })
  uplink: bigint;

  @Column({ type: 'bigint', transformer: bigintColumn })
  downlink: bigint;
}
