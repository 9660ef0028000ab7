import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn } from './column-types.js';

/** Numbers, one row each; a row that is changed stays locked until its transaction commits. */
@Entity('counters')
export class Counter {
  @PrimaryColumn({ type: 'varchar', length: 32, primaryKeyConstraintName: 'counters_pkey' })
  name: string;

  @Column({ type: 'bigint', transformer: bigintColumn })
  value: bigint;
}
