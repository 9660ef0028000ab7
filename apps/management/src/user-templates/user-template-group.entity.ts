import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Group } from '../groups/group.entity.js';
import { UserTemplate } from './user-template.entity.js';

@Entity('user_template_groups')
@Index('user_template_groups_by_group', ['groupId', 'userTemplateId'])
export class UserTemplateGroup {
  @PrimaryColumn({ type: 'integer' })
  userTemplateId: number;

  @PrimaryColumn({ type: 'integer' })
  groupId: number;

  @ManyToOne(() => UserTemplate, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_template_id' })
  userTemplate: Relation<UserTemplate>;

  @ManyToOne(() => Group, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'group_id' })
  group: Relation<Group>;
}
