import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A section of the settings as it was last saved. A section without a row has its defaults. */
@Entity('settings')
export class StoredSettings {
  @PrimaryColumn({ type: 'varchar', length: 32 })
  section: string;

  @Column({ type: 'jsonb' })
  value: unknown;
}
