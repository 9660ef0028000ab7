import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An inbound that a node had before it was started with another configuration. */
@Entity('past_node_tags')
export class PastNodeTag {
  @PrimaryColumn({ type: 'integer' })
  nodeId: number;

  @PrimaryColumn({ type: 'text' })
  tag: string;

  @Column({ type: 'timestamptz' })
  until: Date;
}
