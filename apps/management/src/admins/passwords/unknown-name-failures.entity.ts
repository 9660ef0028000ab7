import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many logins with unknown names failed in a network in an hour, until the log of changes has the sum. */
@Entity('unknown_name_failures')
export class UnknownNameFailures {
  /** The beginning of the hour. */
  @PrimaryColumn({ type: 'timestamptz' })
  hour: Date;

  /** A /24, or a /48 of IPv6; `other` for those beyond the first of an hour. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  network: string;

  @Column({ type: 'integer' })
  failures: number;
}
