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

/** A login of an admin in a browser. It ends when it is not used for some time, and when the admin's password changes. */
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

  /** SHA-256 of the cookie's value, which itself is not stored. */
  @Column({ type: 'bytea' })
  hash: Buffer;

  /** The version of the admin's tokens when the session began. */
  @Column({ type: 'integer' })
  tokenVersion: number;

  /** The address from which the admin logged in. */
  @Column({ type: 'varchar', length: 64 })
  address: string;

  /** What the browser called itself; shortened. */
  @Column({ type: 'varchar', length: 256, nullable: true })
  userAgent: string | null;

  /** The moment of the last use, to the minute. */
  @Column({ type: 'timestamptz', default: () => 'now()' })
  lastUsedAt: Date;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
