import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../database/column-types.js';

/** A place for the user of one round of probes, with whose credentials hosts are probed. Nodes have it during the round. */
@Entity('probe_user')
export class ProbeUser {
  @PrimaryColumn({ type: 'smallint' })
  id: number;

  @Column({ type: 'bigint', default: 0, transformer: bigintColumn })
  revision: bigint;

  /** Empty: the user is on no node. */
  @Column({ type: 'text', array: true, default: [] })
  inboundTags: string[];

  @Column({ type: 'jsonb', nullable: true })
  proxySettings: unknown;

  @Column({ type: 'timestamptz', nullable: true })
  expiresAt: Date | null;
}
