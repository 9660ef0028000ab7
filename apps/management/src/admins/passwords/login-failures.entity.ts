import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The number of failed logins of a subject since the first of them; see login-throttle.ts. */
@Entity('login_failures')
export class LoginFailures {
  /**
   * `name:` with a hash, `@` and a network or a browser; `address:` with an address or a network; `codes:` with the id of an
   * admin, `@` and, where it is known, a network or a browser; `clashes:` with the id of an admin and `@`.
   */
  @PrimaryColumn({ type: 'varchar', length: 128, collation: 'C' })
  subject: string;

  @Column({ type: 'integer' })
  failures: number;

  /** How many of them had the right password, and no code. */
  @Column({ type: 'integer', default: 0 })
  codeless: number;

  @Column({ type: 'timestamptz' })
  since: Date;

  /** When they no longer count. */
  @Column({ type: 'timestamptz' })
  endsAt: Date;

  /** How many times in a row the failures were used up before. */
  @Column({ type: 'smallint', default: 0 })
  doublings: number;

  /** When nothing of them is known any more. */
  @Index('login_failures_forgotten')
  @Column({ type: 'timestamptz' })
  forgottenAt: Date;
}
