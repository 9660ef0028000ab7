import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn } from './column-types.js';

/** A named counter. Changing its row locks it until the transaction commits. */
@Entity('counters')
export class Counter {
  @PrimaryColumn({ type: 'varchar', length: 32 })
  name: string;

  @Column({ type: 'bigint', transformer: bigintColumn })
  value: bigint;
}
