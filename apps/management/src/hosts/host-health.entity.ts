import { Column, Entity, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Host } from './host.entity.js';

/**
 * `works`: every probe passes. `partly`: some pass. `fails`: none passes. `unknown`: nothing could be probed.
 */
export const HOST_STATES = ['works', 'partly', 'fails', 'unknown'] as const;
export type HostState = (typeof HOST_STATES)[number];

/** What the last round of probes has found about a host. */
@Entity('host_health')
export class HostHealth {
  @PrimaryColumn({ type: 'integer' })
  hostId: number;

  @OneToOne(() => Host, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'host_id' })
  host: Relation<Host>;

  @Column({ type: 'varchar', length: 8 })
  status: HostState;

  /** When the host came into this state. */
  @Column({ type: 'timestamptz' })
  since: Date;

  @Column({ type: 'timestamptz' })
  checkedAt: Date;

  /** Number of rounds without a probe that passed, one after another. */
  @Column({ type: 'integer', default: 0 })
  failedRounds: number;

  /** Whether subscriptions leave the host out while the settings say so. */
  @Column({ type: 'boolean', default: false })
  leftOut: boolean;

  /** What clients were given of the host when it was probed; another value means that it has changed. */
  @Column({ type: 'text', default: '' })
  digest: string;

  /** What is wrong, and what to do; empty when the host works. */
  @Column({ type: 'text', default: '' })
  message: string;

  /** Until when a replica probes the host, so that no other one does. */
  @Column({ type: 'timestamptz', nullable: true })
  claimedUntil: Date | null;
}
