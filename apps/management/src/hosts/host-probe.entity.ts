import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { numberColumn } from '../database/column-types.js';
import { Host } from './host.entity.js';

/** The result of one probe of a host. All probes of a round have the same time. */
@Entity('host_probes')
@Index('host_probes_host_id', ['hostId', 'checkedAt'])
export class HostProbe {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: string;

  @Column({ type: 'integer' })
  hostId: number;

  @ManyToOne(() => Host, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'host_id' })
  host: Relation<Host>;

  /** The node that probed, which may be deleted since; null: the machine of management. */
  @Column({ type: 'integer', nullable: true })
  nodeId: number | null;

  @Column({ type: 'timestamptz' })
  checkedAt: Date;

  /** The kinds of clients that send what was sent. */
  @Column({ type: 'text', array: true })
  clients: string[];

  @Column({ type: 'text' })
  address: string;

  @Column({ type: 'integer' })
  port: number;

  @Column({ type: 'text' })
  serverName: string;

  /** Null: it works. */
  @Column({ type: 'varchar', length: 32, nullable: true })
  problem: string | null;

  @Column({ type: 'text' })
  error: string;

  @Column({ type: 'text' })
  advice: string;

  /** The IP address to which the client connected. */
  @Column({ type: 'text' })
  serverAddress: string;

  @Column({ type: 'integer' })
  handshakeMs: number;

  @Column({ type: 'integer' })
  firstByteMs: number;

  @Column({ type: 'bigint', transformer: numberColumn })
  bytesPerSecond: number;

  @Column({ type: 'integer' })
  httpStatus: number;
}

/** What is stored of one probe. */
export type HostProbeColumns = Omit<HostProbe, 'id' | 'hostId' | 'host' | 'checkedAt'>;
