import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../database/column-types.js';

/** A deleted user, kept until every node has heard of the deletion. */
@Entity('user_tombstones')
@Index('user_tombstones_revision', ['revision', 'userId'])
export class UserTombstone {
  @PrimaryColumn({ type: 'integer' })
  userId: number;

  /** The user's name towards nodes. */
  @Column({ type: 'text' })
  email: string;

  @Column({ type: 'bigint', transformer: bigintColumn })
  revision: bigint;
}
