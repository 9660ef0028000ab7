import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The ids of the keys that the database is used with. */
export class KnownKeys1763720310000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE known_keys (
      name varchar(16) NOT NULL,
      key_id varchar(32) NOT NULL,
      is_newest boolean NOT NULL,
      since timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT known_keys_pkey PRIMARY KEY (name, key_id)
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE known_keys');
  }
}
