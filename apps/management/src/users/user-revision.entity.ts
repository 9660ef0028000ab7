import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { bigintColumn } from '../database/column-types.js';
import { User } from './user.entity.js';

/** The change that nodes must hear of last, see database/revision.ts. Apart from the user: the two are written at different times. */
@Entity('user_revisions')
@Index('user_revisions_by_revision', ['revision', 'userId'])
export class UserRevision {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_revisions_pkey' })
  userId: number;

  @OneToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_revisions_user_id_fkey' })
  user: Relation<User>;

  @Column({ type: 'bigint', transformer: bigintColumn })
  revision: bigint;
}
