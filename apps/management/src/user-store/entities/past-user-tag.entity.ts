import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An inbound that a user had through a group which it has left, written by a trigger. */
@Entity('past_user_tags')
export class PastUserTag {
  @PrimaryColumn({ type: 'integer' })
  userId: number;

  @PrimaryColumn({ type: 'text' })
  tag: string;

  @Column({ type: 'timestamptz' })
  until: Date;
}
