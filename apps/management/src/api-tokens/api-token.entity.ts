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
import type { TokenScope } from '../access/token-scope.js';
import { Admin } from '../admins/store/admin.entity.js';

/** A token with which a program acts for an admin. It ends with its admin, or by its own end. */
@Entity('api_tokens')
@Unique('api_tokens_hash', ['hash'])
@Index('api_tokens_by_admin', ['adminId', 'id'])
export class ApiToken {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'api_tokens_pkey' })
  id: number;

  @Column({ type: 'integer' })
  adminId: number;

  @ManyToOne(() => Admin, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'admin_id', foreignKeyConstraintName: 'api_tokens_admin_id_fkey' })
  admin: Relation<Admin>;

  @Column({ type: 'varchar', length: 64 })
  name: string;

  /** SHA-256: the token itself is shown once. */
  @Column({ type: 'bytea' })
  hash: Buffer;

  @Column({ type: 'varchar', length: 8 })
  scope: TokenScope;

  @Column({ type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  /** To the minute. */
  @Column({ type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
