import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn, numberColumn } from '../../database/column-types.js';

/**
 * The last recorded reading of a node's traffic counters. There is no foreign key, because the last traffic of a deleted
 * node is collected after its row is gone.
 */
@Entity('counter_readings')
export class CounterReading {
  @PrimaryColumn({ type: 'integer' })
  nodeId: number;

  /** Increases with each stored reading, so that a reading that began before it is recognised and dropped. */
  @Column({ type: 'bigint', transformer: bigintColumn })
  number: bigint;

  /** `host:port` of the node. */
  @Column({ type: 'text' })
  address: string;

  /** The moment before the counters were read, by the clock of management. */
  @Column({ type: 'timestamptz' })
  readAt: Date;

  /**
   * Uptime of the engine in seconds. A shorter uptime later means a restarted engine, whose counters all began anew.
   */
  @Column({ type: 'bigint', transformer: numberColumn })
  engineUptime: number;

  /** The sum of the counters of all outbounds, in bytes. */
  @Column({ type: 'bigint', transformer: bigintColumn })
  uplink: bigint;

  @Column({ type: 'bigint', transformer: bigintColumn })
  downlink: bigint;
}
