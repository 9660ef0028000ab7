import type { Alpn } from '@rampart/core-config';
import type { UserStatus } from '@rampart/domain';
import type { HostFingerprint, HostSecurity } from '@rampart/subscription';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { FragmentSettings, MuxSettings, NoiseSettings } from './client-settings.dto.js';
import type { TransportSettings } from './transport-settings.dto.js';

@Entity('hosts')
export class Host {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id: number;

  @Column({ type: 'text' })
  remark: string;

  @Column({ type: 'text', array: true, default: [] })
  address: string[];

  @Column({ type: 'text' })
  inboundTag: string;

  @Column({ type: 'integer', nullable: true })
  port: number | null;

  @Column({ type: 'text', array: true, default: [] })
  sni: string[];

  @Column({ type: 'text', array: true, default: [] })
  host: string[];

  @Column({ type: 'text', nullable: true })
  path: string | null;

  @Column({ type: 'varchar', length: 32, default: 'inbound_default' })
  security: HostSecurity;

  @Column({ type: 'text', array: true, default: [] })
  alpn: Alpn[];

  @Column({ type: 'varchar', length: 32, default: 'none' })
  fingerprint: HostFingerprint;

  @Column({ type: 'boolean', nullable: true })
  allowInsecure: boolean | null;

  @Column({ type: 'boolean', default: false })
  isDisabled: boolean;

  @Column({ type: 'json', nullable: true })
  httpHeaders: Record<string, string> | null;

  @Column({ type: 'json', nullable: true })
  transportSettings: TransportSettings | null;

  @Column({ type: 'json', nullable: true })
  muxSettings: MuxSettings | null;

  @Column({ type: 'json', nullable: true })
  fragmentSettings: FragmentSettings | null;

  @Column({ type: 'json', nullable: true })
  noiseSettings: NoiseSettings | null;

  @Column({ type: 'boolean', default: false })
  randomUserAgent: boolean;

  @Column({ type: 'boolean', default: false })
  useSniAsHost: boolean;

  @Column({ type: 'integer' })
  priority: number;

  /** An empty list makes the host visible to users of every status. */
  @Column({ type: 'text', array: true, default: [] })
  status: UserStatus[];

  @Column({ type: 'text', nullable: true })
  echConfigList: string | null;
}
