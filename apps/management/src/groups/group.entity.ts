import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

@Entity('groups')
@Unique('groups_name', ['name'])
export class Group {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id: number;

  @Column({ type: 'varchar', length: 64 })
  name: string;

  @Index('groups_inbound_tags', { type: 'gin' })
  @Column({ type: 'text', array: true, default: [] })
  inboundTags: string[];

  @Column({ type: 'boolean', default: false })
  isDisabled: boolean;

  /** The number of memberships; a trigger keeps it. */
  @Column({ type: 'integer', default: 0, insert: false, update: false })
  totalUsers: number;
}
