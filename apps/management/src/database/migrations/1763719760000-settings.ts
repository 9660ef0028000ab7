import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Settings1763719760000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE settings (section varchar(32) NOT NULL CONSTRAINT settings_pkey PRIMARY KEY, value jsonb NOT NULL)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE settings');
  }
}
