import { Column, Entity, PrimaryColumn } from 'typeorm';
import { numberColumn } from '../database/column-types.js';

/** What went through a node in an hour. */
@Entity('node_usages')
export class NodeUsage {
  @PrimaryColumn({ type: 'timestamptz', primaryKeyConstraintName: 'node_usages_pkey' })
  hour: Date;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'node_usages_pkey' })
  nodeId: number;

  /** Bytes that the node exchanged with the world: raw, whoever caused them. */
  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  uplink: number;

  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  downlink: number;

  /** The sum over all users, so that the total of everybody needs none of their rows. */
  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  usedTraffic: number;
}
