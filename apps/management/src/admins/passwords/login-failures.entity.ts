import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The number of failed logins for a name in a network, or from an address, since the first of them; see login-throttle.ts.
 */
@Entity('login_failures')
export class LoginFailures {
  /** `name:` with a hash, `@` and a network, or `address:` with an address. */
  @PrimaryColumn({ type: 'varchar', length: 128, collation: 'C' })
  subject: string;

  @Column({ type: 'integer' })
  failures: number;

  @Index('login_failures_since')
  @Column({ type: 'timestamptz' })
  since: Date;
}
