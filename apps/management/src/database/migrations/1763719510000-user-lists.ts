import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each order of the list of users, and each of its filters. Not `used_traffic` and `online_at`: every batch of traffic
 * changes them, and an index on them would be written as often.
 */
const INDEXES = [
  'CREATE INDEX users_status ON users (status, id)',
  'CREATE INDEX users_expire ON users (expire, id)',
  'CREATE INDEX users_created_at ON users (created_at, id)',
  'CREATE INDEX users_edit_at ON users (edit_at NULLS FIRST, id)',
  'CREATE INDEX users_data_limit ON users (nullif(data_limit, 0), id)',
  'CREATE INDEX users_search ON users USING gin (lower(username) gin_trgm_ops, lower(note) gin_trgm_ops)',
  'CREATE INDEX users_proxy_settings ON users USING gin (proxy_settings jsonb_path_ops)',
];

export class UserLists1763719510000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE EXTENSION IF NOT EXISTS pg_trgm');
    for (const statement of INDEXES) await runner.query(statement);
  }

  /** The extension stays: it may have been there before. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX users_status, users_expire, users_created_at, users_edit_at, users_data_limit,
      users_search, users_proxy_settings`);
  }
}
