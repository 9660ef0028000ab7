import { Column, Entity, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Admin } from './admin.entity.js';

/** How many users an admin has created within a day from a moment; see user-limit.ts. */
@Entity('user_creations')
export class UserCreations {
  @PrimaryColumn({ type: 'integer' })
  adminId: number;

  @OneToOne(() => Admin, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'admin_id' })
  admin: Relation<Admin>;

  @Column({ type: 'timestamptz' })
  since: Date;

  @Column({ type: 'integer' })
  users: number;
}
