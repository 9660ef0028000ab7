import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('cores')
export class Core {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id: number;

  @Column({ type: 'varchar', length: 256 })
  name: string;

  /** The configuration as JSON, sealed by AtRestCipher: it has private keys and passwords. */
  @Column({ type: 'bytea' })
  configSealed: Buffer;

  /**
   * The configuration as CoreRepository has opened it; undefined where it does not open. It is no column. Its keys have
   * the order in which they were sent.
   */
  config: Record<string, unknown> | undefined;

  @Column({ type: 'text', array: true, default: [] })
  excludeInboundTags: string[];

  @Column({ type: 'text', array: true, default: [] })
  fallbacksInboundTags: string[];

  /** Private networks that users of the nodes may reach, in CIDR notation. */
  @Column({ type: 'text', array: true, default: [] })
  privateNetworks: string[];

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
