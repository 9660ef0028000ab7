import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  type Relation,
  Unique,
} from 'typeorm';
import { Admin } from '../admins/store/admin.entity.js';

/** What an admin has logged in with: a browser, which has a cookie, or a program, which has a login token. */
export type SessionKind = 'browser' | 'token';

/**
 * A login of an admin: in a browser, or of a program that has got a login token. It ends at a fixed moment, in a browser also when it
 * is not used for some time, and when the admin's password or second factor changes.
 */
@Entity('admin_sessions')
@Unique('admin_sessions_hash', ['hash'])
@Index('admin_sessions_by_admin', ['adminId', 'id'])
@Index('admin_sessions_last_used', ['lastUsedAt'])
export class Session {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id: number;

  @Column({ type: 'integer' })
  adminId: number;

  @ManyToOne(() => Admin, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'admin_id' })
  admin: Relation<Admin>;

  /** SHA-256 of the cookie's value, or of the id of the login token, which themselves are not stored. */
  @Column({ type: 'bytea' })
  hash: Buffer;

  @Column({ type: 'varchar', length: 8 })
  kind: SessionKind;

  /** The version of the admin's tokens when the session began, or was kept by a change that ended all others. */
  @Column({ type: 'integer' })
  tokenVersion: number;

  /** The address from which the admin logged in. */
  @Column({ type: 'varchar', length: 64 })
  address: string;

  /** What the browser or the program called itself; shortened. */
  @Column({ type: 'varchar', length: 256, nullable: true })
  userAgent: string | null;

  /** When the admin has last shown its password and factor to this login. */
  @Column({ type: 'timestamptz' })
  authenticatedAt: Date;

  /** When the login ends, however much it is used. */
  @Column({ type: 'timestamptz' })
  expiresAt: Date;

  /** The moment of the last use, to the minute. */
  @Column({ type: 'timestamptz', default: () => 'now()' })
  lastUsedAt: Date;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
