import { Column, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { numberColumn } from './column-types.js';

/** Columns of the logs of resets of traffic counters. The logs are partitioned by month, see schema/log-months.ts. */
export abstract class TrafficReset {
  @PrimaryGeneratedColumn('increment', { type: 'bigint' })
  id: string;

  /** The bytes that the counter had at the reset. */
  @Column({ type: 'bigint', transformer: numberColumn })
  usedTraffic: number;

  @PrimaryColumn({ type: 'timestamptz', default: () => 'now()' })
  resetAt: Date;
}
