import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Group } from '../groups/group.entity.js';
import { User } from './user.entity.js';

@Entity('user_groups')
@Index('user_groups_by_group', ['groupId', 'userId'])
export class UserGroup {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_groups_pkey' })
  userId: number;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_groups_pkey' })
  groupId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_groups_user_id_fkey' })
  user: Relation<User>;

  @ManyToOne(() => Group, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'group_id', foreignKeyConstraintName: 'user_groups_group_id_fkey' })
  group: Relation<Group>;
}
