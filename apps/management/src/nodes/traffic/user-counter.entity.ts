import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../database/column-types.js';

/**
 * The counters of one user in the last reading of a node. With a row for each user, a reading writes only users who had
 * traffic; one document for each node would be rewritten as a whole, 2 MB for 100,000 users.
 */
@Entity('user_counters')
export class UserCounter {
  @PrimaryColumn({ type: 'integer' })
  nodeId: number;

  @PrimaryColumn({ type: 'integer' })
  userId: number;

  @Column({ type: 'bigint', transformer: bigintColumn })
  uplink: bigint;

  @Column({ type: 'bigint', transformer: bigintColumn })
  downlink: bigint;
}
