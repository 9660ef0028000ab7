import { Column, Entity, PrimaryColumn } from 'typeorm';
import { numberColumn } from '../database/column-types.js';

/**
 * The traffic of a user through a node in one hour, in one partition for each day (usage-partitions.ts). There is no foreign
 * key, so that deleting a user or a node costs nothing here; the rows are deleted with their day.
 */
@Entity('node_user_usages')
export class NodeUserUsage {
  @PrimaryColumn({ type: 'integer' })
  userId: number;

  @PrimaryColumn({ type: 'timestamptz' })
  hour: Date;

  @PrimaryColumn({ type: 'integer' })
  nodeId: number;

  /** Bytes in both directions, multiplied by the node's coefficient. */
  @Column({ type: 'bigint', transformer: numberColumn })
  usedTraffic: number;
}
