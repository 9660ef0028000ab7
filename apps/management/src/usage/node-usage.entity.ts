import { Column, Entity, PrimaryColumn } from 'typeorm';
import { numberColumn } from '../database/column-types.js';

/** The traffic of a node in one hour. */
@Entity('node_usages')
export class NodeUsage {
  @PrimaryColumn({ type: 'timestamptz' })
  hour: Date;

  @PrimaryColumn({ type: 'integer' })
  nodeId: number;

  /** Raw bytes that the node transferred, whichever users caused them. */
  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  uplink: number;

  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  downlink: number;

  /** The sum over all users, so that the total of all users is read without their rows. */
  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  usedTraffic: number;
}
