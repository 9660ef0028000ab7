import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

@Entity('admins')
@Unique('admins_username', ['username'])
export class Admin {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'admins_pkey' })
  id: number;

  @Column({ type: 'varchar', length: 128 })
  username: string;

  @Column({ type: 'text' })
  passwordHash: string;

  @Column({ type: 'boolean', default: false })
  isSudo: boolean;

  @Column({ type: 'boolean', default: false })
  isDisabled: boolean;

  /** Stands in every access token of this admin: raising it ends them all at once. */
  @Column({ type: 'integer', default: 0 })
  tokenVersion: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
