import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { Difference } from './difference.js';

/** One change that somebody made. Rows are never changed, and outlive whom and what they name. One table a month: see log-months.ts. */
@Entity('audit_entries')
@Index('audit_entries_by_actor', ['actor', 'id'])
@Index('audit_entries_by_action', ['action', 'id'])
@Index('audit_entries_by_target', ['target', 'id'])
@Index('audit_entries_by_time', ['at', 'id'])
export class AuditEntry {
  @PrimaryGeneratedColumn('increment', { type: 'bigint', primaryKeyConstraintName: 'audit_entries_pkey' })
  id: string;

  @PrimaryColumn({ type: 'timestamptz', default: () => 'now()', primaryKeyConstraintName: 'audit_entries_pkey' })
  at: Date;

  /** The admin's name, `system`, or `(unauthenticated)` of a failed login. */
  @Column({ type: 'varchar', length: 128 })
  actor: string;

  /** null: management itself, or nobody. */
  @Column({ type: 'integer', nullable: true })
  actorId: number | null;

  /** From where the request came, as far as trusted proxies say. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  address: string | null;

  /** `group.modify` */
  @Column({ type: 'varchar', length: 64, collation: 'C' })
  action: string;

  /** `group/5` */
  @Column({ type: 'varchar', length: 512 })
  target: string;

  @Column({ type: 'json' })
  difference: Difference;
}
