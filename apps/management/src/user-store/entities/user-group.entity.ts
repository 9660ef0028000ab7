import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A membership. Triggers check once per statement that user and group exist, and delete memberships with either. */
@Entity('user_groups')
@Index('user_groups_by_group', ['groupId', 'userId'])
export class UserGroup {
  @PrimaryColumn({ type: 'integer' })
  userId: number;

  @PrimaryColumn({ type: 'integer' })
  groupId: number;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  memberSince: Date;
}
