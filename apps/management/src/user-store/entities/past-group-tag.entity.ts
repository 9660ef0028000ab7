import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An inbound that a group granted before it was changed, written by a trigger. */
@Entity('past_group_tags')
export class PastGroupTag {
  @PrimaryColumn({ type: 'integer' })
  groupId: number;

  @PrimaryColumn({ type: 'text' })
  tag: string;

  @Column({ type: 'timestamptz' })
  until: Date;
}
