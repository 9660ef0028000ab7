import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Admin } from '../store/admin.entity.js';

/** A network or a browser from which an admin has logged in; see known-origins.ts. */
@Entity('admin_origins')
export class KnownOrigin {
  @PrimaryColumn({ type: 'integer' })
  adminId: number;

  @ManyToOne(() => Admin, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'admin_id' })
  admin: Relation<Admin>;

  /** `network:` with a network, or `device:` with the hash of a cookie. */
  @PrimaryColumn({ type: 'varchar', length: 80 })
  origin: string;

  /** The day of the last login from there. */
  @Column({ type: 'timestamptz', default: () => 'now()' })
  lastUsedAt: Date;
}
