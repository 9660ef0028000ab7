import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { KeyName } from '../keys/keys.js';

/** The id of a key with which the database is used; see key-ids.ts. */
@Entity('known_keys')
export class KnownKey {
  @PrimaryColumn({ type: 'varchar', length: 16 })
  name: KeyName;

  @PrimaryColumn({ type: 'varchar', length: 32 })
  keyId: string;

  /** Whether this key came into use last. The others are earlier keys of a rotation that is still under way. */
  @Column({ type: 'boolean' })
  isNewest: boolean;

  @CreateDateColumn({ type: 'timestamptz' })
  since: Date;
}
