import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A core can change without its nodes: they hold what they run until they are restarted. */
export class CoreChanges1763719600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE nodes ADD held_core json, ADD start_revision bigint NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE nodes DROP held_core, DROP start_revision');
  }
}
