import { Column, CreateDateColumn, Entity, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Admin } from '../admins/store/admin.entity.js';
import { bigintColumn } from '../database/column-types.js';

/** The second factor of an admin. */
@Entity('admin_totps')
export class Totp {
  @PrimaryColumn({ type: 'integer' })
  adminId: number;

  @OneToOne(() => Admin, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'admin_id' })
  admin: Relation<Admin>;

  /** The secret in base32, sealed by AtRestCipher. */
  @Column({ type: 'bytea' })
  secretEncrypted: Buffer;

  /** When the admin has shown a first code; null: logins do not ask for one yet. */
  @Column({ type: 'timestamptz', nullable: true })
  confirmedAt: Date | null;

  /** The time step of the last code that was used; no code of it or of an earlier one is accepted. */
  @Column({ type: 'bigint', default: 0, transformer: bigintColumn })
  lastStep: bigint;

  /** SHA-256 of the recovery codes that are left, in base64url. */
  @Column({ type: 'text', array: true, default: [] })
  recoveryHashes: string[];

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
