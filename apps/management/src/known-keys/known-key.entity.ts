import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { KeyName } from '../keys/keys.js';

/** A key with which the database is used, by its id; see key-ids.ts. */
@Entity('known_keys')
export class KnownKey {
  @PrimaryColumn({ type: 'varchar', length: 16, primaryKeyConstraintName: 'known_keys_pkey' })
  name: KeyName;

  @PrimaryColumn({ type: 'varchar', length: 32, primaryKeyConstraintName: 'known_keys_pkey' })
  keyId: string;

  /** The one that was taken into use last. The others are those before, which a rotation has not ended yet. */
  @Column({ type: 'boolean' })
  isNewest: boolean;

  @CreateDateColumn({ type: 'timestamptz' })
  since: Date;
}
