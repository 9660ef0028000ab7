import { Entity, Index, PrimaryColumn } from 'typeorm';

/** Triggers see to it that user and group exist, a statement at a time, and end the membership with either. */
@Entity('user_groups')
@Index('user_groups_by_group', ['groupId', 'userId'])
export class UserGroup {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_groups_pkey' })
  userId: number;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_groups_pkey' })
  groupId: number;
}
