import { Column, Entity, PrimaryColumn } from 'typeorm';
import { numberColumn } from '../database/column-types.js';

/**
 * What a user used through a node in an hour. One table a day: see usage-days.ts. It refers to neither of the two, so that
 * deleting a user or a node costs nothing here; the rows go with their day.
 */
@Entity('node_user_usages')
export class NodeUserUsage {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'node_user_usages_pkey' })
  userId: number;

  @PrimaryColumn({ type: 'timestamptz', primaryKeyConstraintName: 'node_user_usages_pkey' })
  hour: Date;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'node_user_usages_pkey' })
  nodeId: number;

  /** Bytes in both directions, multiplied by the node's coefficient. */
  @Column({ type: 'bigint', transformer: numberColumn })
  usedTraffic: number;
}
