import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Actor } from '../access/actor.js';

/** Work on many users that is not finished, or was lately: a row is written with each batch of it but a first that is the last. */
@Entity('bulk_operations')
export class BulkOperation {
  @PrimaryGeneratedColumn('identity', {
    type: 'integer',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'bulk_operations_pkey',
  })
  id: number;

  /** What is done, as the audit log names it. */
  @Column({ type: 'varchar', length: 64 })
  action: string;

  /** The admin who asked for it, and from where. */
  @Column({ type: 'jsonb' })
  actor: Actor;

  @Column({ type: 'varchar', length: 64, nullable: true })
  address: string | null;

  @Column({ type: 'jsonb' })
  terms: object;

  /** SHA-256 of `actor` and `terms`: work is not continued with an order that was changed in the database. */
  @Column({ type: 'varchar', length: 64 })
  digest: string;

  /** The id of the last user that has been looked at. */
  @Column({ type: 'integer' })
  position: number;

  /** Users with a higher id came later, and are not meant. */
  @Column({ type: 'integer' })
  lastId: number;

  @Column({ type: 'integer' })
  affectedUsers: number;

  /** Until then nobody else goes on with it. */
  @Column({ type: 'timestamptz' })
  leasedUntil: Date;

  @Column({ type: 'timestamptz', nullable: true })
  finishedAt: Date | null;
}
