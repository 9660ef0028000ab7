import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn, numberColumn } from '../../database/column-types.js';

/**
 * The last reading of a node's traffic counters that is booked. It does not refer to its node: a node that is deleted
 * hands over its last traffic afterwards.
 */
@Entity('counter_readings')
export class CounterReading {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'counter_readings_pkey' })
  nodeId: number;

  /** Another one with each reading: one that was read before the stored one is not booked. */
  @Column({ type: 'bigint', transformer: bigintColumn })
  number: bigint;

  /** Where: name or address of the node, and port. */
  @Column({ type: 'text' })
  address: string;

  /** Just before it was read, by the clock of management. */
  @Column({ type: 'timestamptz' })
  readAt: Date;

  /** Seconds; a shorter one later belongs to another engine, all of whose counters began anew. */
  @Column({ type: 'bigint', transformer: numberColumn })
  engineUptime: number;

  /** Bytes, the sum over all outbounds. */
  @Column({ type: 'bigint', transformer: bigintColumn })
  uplink: bigint;

  @Column({ type: 'bigint', transformer: bigintColumn })
  downlink: bigint;
}
