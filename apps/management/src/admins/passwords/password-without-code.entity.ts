import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Admin } from '../store/admin.entity.js';

/** Logins of an admin from a network in an hour with the right password, which no code has followed. */
@Entity('passwords_without_code')
export class PasswordWithoutCode {
  @PrimaryColumn({ type: 'integer' })
  adminId: number;

  @ManyToOne(() => Admin, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'admin_id' })
  admin: Relation<Admin>;

  /** A /24, or a /48 of IPv6; `other` for those beyond the first of an hour. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  network: string;

  /** The beginning of the hour. */
  @PrimaryColumn({ type: 'timestamptz' })
  hour: Date;

  @Column({ type: 'integer' })
  tries: number;

  /** The moment of the first try. */
  @Column({ type: 'timestamptz', default: () => 'now()' })
  since: Date;

  /** Whether no code has come in time, so that the log has an entry and the admin is told. */
  @Column({ type: 'boolean', default: false })
  isTold: boolean;
}
