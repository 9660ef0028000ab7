import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  type Relation,
  Unique,
} from 'typeorm';
import { Core } from '../../core-store/core.entity.js';
import { bigintColumn, numberColumn } from '../../database/column-types.js';
import { NodeAuthority } from './node-authority.entity.js';

/** How management talks to a node. */
export type NodeConnection = 'grpc' | 'rest';
/**
 * `connected`: calls are answered. `connecting`: management tries. `error`: it tries again after a failure. `disabled`:
 * an admin has switched the node off.
 */
export type NodeStatus = 'connecting' | 'connected' | 'error' | 'disabled';

@Entity('nodes')
@Unique('nodes_name', ['name'])
export class Node {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id: number;

  @Column({ type: 'varchar', length: 256 })
  name: string;

  @Column({ type: 'varchar', length: 256 })
  address: string;

  @Column({ type: 'integer' })
  port: number;

  @Column({ type: 'varchar', length: 8 })
  connectionType: NodeConnection;

  /** In PEM, the certificate that the node must show, or certificates of its authorities. */
  @Column({ type: 'text' })
  serverCa: string;

  /** Seconds without a call after which the node stops its engine; 0: never. */
  @Column({ type: 'integer' })
  keepAlive: number;

  @Index('nodes_core_config_id')
  @Column({ type: 'integer', nullable: true })
  coreConfigId: number | null;

  @ManyToOne(() => Core, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn({ name: 'core_config_id' })
  core: Relation<Core> | null;

  /** The API key, sealed by AtRestCipher. */
  @Column({ type: 'bytea' })
  apiKeyEncrypted: Buffer;

  @Column({ type: 'double precision', default: 1 })
  usageCoefficient: number;

  @Column({ type: 'varchar', length: 16, default: 'connecting' })
  status: NodeStatus;

  @Column({ type: 'text', nullable: true })
  message: string | null;

  /** The kind of the problem of a node, for programs. */
  @Column({ type: 'text', nullable: true })
  messageCode: string | null;

  @Column({ type: 'text', nullable: true })
  coreVersion: string | null;

  @Column({ type: 'text', nullable: true })
  nodeVersion: string | null;

  /** The revision up to which every change of users has reached the node. */
  @Column({ type: 'bigint', default: 0, transformer: bigintColumn })
  syncedRevision: bigint;

  /** True while the node still runs the core configuration from before the last change. */
  @Column({ type: 'boolean', default: false })
  corePending: boolean;

  /**
   * The configuration that the node keeps until it is restarted, as JSON sealed by AtRestCipher; null: it is started with
   * its core as it is.
   */
  @Column({ type: 'bytea', nullable: true, select: false })
  pinnedCoreSealed: Buffer | null;

  /** The minimum revision from which the node must have been started; with a lower one it is started again. */
  @Column({ type: 'bigint', default: 0, transformer: bigintColumn })
  startRevision: bigint;

  /** Ledger and number of the last stored traffic batch, which the next call acknowledges. */
  @Column({ type: 'text', default: '' })
  trafficLedger: string;

  @Column({ type: 'bigint', default: 0, transformer: bigintColumn })
  trafficNumber: bigint;

  /** When that batch was sealed, by the node's clock: the next batch holds only traffic since then. */
  @Column({ type: 'timestamptz', nullable: true })
  trafficSealedAt: Date | null;

  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  uplink: number;

  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  downlink: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  /** The authority that has issued the certificate of an enrolled node; null: the node has a certificate of its own. */
  @Column({ type: 'integer', nullable: true })
  authorityId: number | null;

  @ManyToOne(() => NodeAuthority, { nullable: true })
  @JoinColumn({ name: 'authority_id', foreignKeyConstraintName: 'nodes_authority_id_fkey' })
  authority: Relation<NodeAuthority> | null;

  /** The URI in the certificate of an enrolled node, another one after each enrolment. */
  @Column({ type: 'text', nullable: true })
  identity: string | null;

  /** The port on which an enrolled node listens; null: the same as `port`. */
  @Column({ type: 'integer', nullable: true })
  listenPort: number | null;

  /** When the certificate of an enrolled node ends, as the node has reported it last. */
  @Column({ type: 'timestamptz', nullable: true })
  certificateExpiresAt: Date | null;

  /** How often the node was found to hold other users than it should, and was sent all of them. */
  @Column({ type: 'integer', default: 0 })
  driftCount: number;

  @Column({ type: 'timestamptz', nullable: true })
  driftFoundAt: Date | null;

  /** Tags of the inbounds with which the node was started last, or is being started: only their users have traffic. */
  @Column({ type: 'text', array: true, default: [] })
  inboundTags: string[];

  /** When its traffic was last recorded, by our clock. What it reports then was made since this moment. */
  @Column({ type: 'timestamptz', default: () => 'now()' })
  trafficSettledAt: Date;

  /** Seconds of a full line that its traffic up to then has left unused, see TrafficAllowance. */
  @Column({ type: 'double precision', default: 30 })
  trafficAllowance: number;

  /** How often the node has reported traffic that was not counted, because it cannot be. */
  @Column({ type: 'integer', default: 0 })
  implausibleCount: number;

  @Column({ type: 'timestamptz', nullable: true })
  implausibleFoundAt: Date | null;

  /** What the node reported then, in a sentence. */
  @Column({ type: 'text', nullable: true })
  implausibleMessage: string | null;
}
