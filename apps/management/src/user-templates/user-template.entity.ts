import type { DataLimitResetStrategy, ExtraSettings, TemplateStatus } from '@rampart/domain';
import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { numberColumn } from '../database/column-types.js';

@Entity('user_templates')
@Unique('user_templates_name', ['name'])
export class UserTemplate {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id: number;

  @Column({ type: 'varchar', length: 64 })
  name: string;

  /** Bytes that a user may use; 0: unlimited. */
  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  dataLimit: number;

  /** Seconds that a user's time lasts; 0: it has no end. */
  @Column({ type: 'bigint', default: 0, transformer: numberColumn })
  expireDuration: number;

  @Column({ type: 'varchar', length: 20, nullable: true })
  usernamePrefix: string | null;

  @Column({ type: 'varchar', length: 20, nullable: true })
  usernameSuffix: string | null;

  @Column({ type: 'jsonb', nullable: true })
  extraSettings: ExtraSettings | null;

  @Column({ type: 'varchar', length: 16, default: 'active' })
  status: TemplateStatus;

  /** Whether applying the template to a user resets its traffic. */
  @Column({ type: 'boolean', default: false })
  resetUsages: boolean;

  /** Seconds after which a hold ends by itself; null: never. */
  @Column({ type: 'bigint', nullable: true, transformer: numberColumn })
  onHoldTimeout: number | null;

  @Column({ type: 'varchar', length: 16, default: 'no_reset' })
  dataLimitResetStrategy: DataLimitResetStrategy;

  @Column({ type: 'boolean', default: false })
  isDisabled: boolean;
}
