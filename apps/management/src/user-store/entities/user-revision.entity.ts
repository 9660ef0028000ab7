import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../database/column-types.js';

/**
 * The last change of a user that nodes must hear of, see database/revision.ts. It is a table of its own, because it is
 * written at other times than the user.
 */
@Entity('user_revisions')
@Index('user_revisions_by_revision', ['revision', 'userId'])
export class UserRevision {
  /** A trigger deletes the row with the user. */
  @PrimaryColumn({ type: 'integer' })
  userId: number;

  @Column({ type: 'bigint', transformer: bigintColumn })
  revision: bigint;
}
