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
import type { TokenGrant, TokenScope } from '../access/token-scope.js';
import { Admin } from '../admins/store/admin.entity.js';

/** A token with which a program acts for an admin. It is valid until it expires or its admin is deleted. */
@Entity('api_tokens')
@Unique('api_tokens_hash', ['hash'])
@Index('api_tokens_by_admin', ['adminId', 'id'])
@Index('api_tokens_by_maker', ['madeBy'])
export class ApiToken {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id: number;

  @Column({ type: 'integer' })
  adminId: number;

  @ManyToOne(() => Admin, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'admin_id' })
  admin: Relation<Admin>;

  @Column({ type: 'varchar', length: 64 })
  name: string;

  /** SHA-256 of the token, which itself is not stored. */
  @Column({ type: 'bytea' })
  hash: Buffer;

  /** The id of the token with which it was created, and with which it ends; null: created with a login. */
  @Column({ type: 'integer', nullable: true })
  madeBy: number | null;

  @ManyToOne(() => ApiToken, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'made_by' })
  maker: Relation<ApiToken> | null;

  @Column({ type: 'varchar', length: 8 })
  scope: TokenScope;

  @Column({ type: 'text', array: true, default: [] })
  grants: TokenGrant[];

  /** Networks from which the token may be used; empty: any. */
  @Column({ type: 'text', array: true, default: () => "'{}'" })
  allowedNetworks: string[];

  @Column({ type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  /** The moment of the last use, to the minute. */
  @Column({ type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
