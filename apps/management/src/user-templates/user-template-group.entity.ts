import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Group } from '../groups/group.entity.js';
import { UserTemplate } from './user-template.entity.js';

@Entity('user_template_groups')
@Index('user_template_groups_by_group', ['groupId', 'userTemplateId'])
export class UserTemplateGroup {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_template_groups_pkey' })
  userTemplateId: number;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_template_groups_pkey' })
  groupId: number;

  @ManyToOne(() => UserTemplate, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'user_template_id',
    foreignKeyConstraintName: 'user_template_groups_user_template_id_fkey',
  })
  userTemplate: Relation<UserTemplate>;

  @ManyToOne(() => Group, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'group_id', foreignKeyConstraintName: 'user_template_groups_group_id_fkey' })
  group: Relation<Group>;
}
