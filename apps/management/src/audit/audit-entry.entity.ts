import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { Difference } from './difference.js';

/**
 * A change in the audit log. Rows are never changed, and outlive the admins and objects that they name. Each month has
 * a table of its own, see log-months.ts.
 */
@Entity('audit_entries')
@Index('audit_entries_by_actor', ['actor', 'id'])
@Index('audit_entries_by_action', ['action', 'id'])
@Index('audit_entries_by_target', ['target', 'id'])
@Index('audit_entries_by_time', ['at', 'id'])
@Index('audit_entries_by_token', ['tokenId', 'id'], { where: 'token_id IS NOT NULL' })
export class AuditEntry {
  @PrimaryGeneratedColumn('increment', { type: 'bigint' })
  id: string;

  @PrimaryColumn({ type: 'timestamptz', default: () => 'now()' })
  at: Date;

  /** The name of the admin, `system`, `local` for a command, or `(unauthenticated)` for a failed login. */
  @Column({ type: 'varchar', length: 128 })
  actor: string;

  /** null for changes by management itself, for commands and for failed logins. */
  @Column({ type: 'integer', nullable: true })
  actorId: number | null;

  /** The API token that was used, and its name then; null: none. */
  @Column({ type: 'integer', nullable: true })
  tokenId: number | null;

  @Column({ type: 'varchar', length: 64, nullable: true })
  tokenName: string | null;

  /** The login that was used; null: none. */
  @Column({ type: 'integer', nullable: true })
  sessionId: number | null;

  /** The address of the client, as far as trusted proxies report it; `local` for a command. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  address: string | null;

  /** What was done, such as `group.modify`. */
  @Column({ type: 'varchar', length: 64, collation: 'C' })
  action: string;

  /** What was changed, such as `group/5`. */
  @Column({ type: 'varchar', length: 512 })
  target: string;

  @Column({ type: 'json' })
  difference: Difference;
}
