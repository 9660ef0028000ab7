import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Actor } from '../access/actor.js';

/** Work on many users that is under way or has ended within the last hour. Work that one batch completes leaves no row. */
@Entity('bulk_operations')
export class BulkOperation {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  id: number;

  /** The action, as the audit log names it. */
  @Column({ type: 'varchar', length: 64 })
  action: string;

  /** The admin who asked for it, and from where. */
  @Column({ type: 'jsonb' })
  actor: Actor;

  @Column({ type: 'varchar', length: 64, nullable: true })
  address: string | null;

  @Column({ type: 'jsonb' })
  terms: object;

  /** SHA-256 of `actor` and `terms`: work is not continued when either was changed in the database. */
  @Column({ type: 'varchar', length: 64 })
  digest: string;

  /** The id of the last user whom a batch has covered. */
  @Column({ type: 'integer' })
  position: number;

  /** Users with a higher id were created later and are not included. */
  @Column({ type: 'integer' })
  lastId: number;

  @Column({ type: 'integer' })
  affectedUsers: number;

  /** Until this moment no other replica continues the work. */
  @Column({ type: 'timestamptz' })
  leasedUntil: Date;

  @Column({ type: 'timestamptz', nullable: true })
  finishedAt: Date | null;
}
