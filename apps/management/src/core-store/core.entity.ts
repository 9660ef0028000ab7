import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('cores')
export class Core {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id: number;

  @Column({ type: 'varchar', length: 256 })
  name: string;

  /** `json` keeps the order of keys in which the configuration was sent; `jsonb` would not. */
  @Column({ type: 'json' })
  config: Record<string, unknown>;

  @Column({ type: 'text', array: true, default: [] })
  excludeInboundTags: string[];

  @Column({ type: 'text', array: true, default: [] })
  fallbacksInboundTags: string[];

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
