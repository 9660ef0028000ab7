import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** How often logins failed for one name or from one address since the first of them; see login-throttle.ts. */
@Entity('login_failures')
export class LoginFailures {
  /** `name:` with a hash, or `address:` with a network. */
  @PrimaryColumn({ type: 'varchar', length: 80, primaryKeyConstraintName: 'login_failures_pkey' })
  subject: string;

  @Column({ type: 'integer' })
  failures: number;

  @Index('login_failures_since')
  @Column({ type: 'timestamptz' })
  since: Date;
}
