import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../database/column-types.js';

/** The change that nodes must hear of last, see database/revision.ts. Apart from the user: the two are written at different times. */
@Entity('user_revisions')
@Index('user_revisions_by_revision', ['revision', 'userId'])
export class UserRevision {
  /** Of a user that is deleted, a trigger deletes it. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_revisions_pkey' })
  userId: number;

  @Column({ type: 'bigint', transformer: bigintColumn })
  revision: bigint;
}
