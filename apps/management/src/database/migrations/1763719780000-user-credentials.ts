import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Credentials are looked for beside names: an index on the wide row of a user would be written by every change of it,
 * and took half of the time of changes in bulk.
 */
export class UserCredentials1763719780000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const ADD_SEARCHES = (columns: string): string => `CREATE OR REPLACE FUNCTION add_user_searches() RETURNS trigger
  LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO user_searches SELECT ${columns} FROM came;
      RETURN NULL;
    END
  $$`;

const UP = [
  `CREATE FUNCTION user_credentials(settings jsonb) RETURNS text[] IMMUTABLE LANGUAGE sql RETURN array_remove(ARRAY[
    settings #>> '{vmess,id}', settings #>> '{vless,id}',
    settings #>> '{trojan,password}', settings #>> '{shadowsocks,password}'
  ], NULL)`,
  `ALTER TABLE user_searches ADD credentials text[] NOT NULL DEFAULT '{}'`,
  `UPDATE user_searches SET credentials = user_credentials(users.proxy_settings)
    FROM users WHERE users.id = user_searches.user_id`,
  'CREATE INDEX user_searches_credentials ON user_searches USING gin (credentials)',
  ADD_SEARCHES('id, user_words(username, note), user_credentials(proxy_settings)'),
  `CREATE FUNCTION change_user_credentials() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE user_searches SET credentials = user_credentials(NEW.proxy_settings) WHERE user_id = NEW.id;
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER users_given_credentials AFTER UPDATE OF proxy_settings ON users FOR EACH ROW
    WHEN (user_credentials(OLD.proxy_settings) IS DISTINCT FROM user_credentials(NEW.proxy_settings))
    EXECUTE FUNCTION change_user_credentials()`,
  'DROP INDEX users_proxy_settings',
];

const DOWN = [
  'CREATE INDEX users_proxy_settings ON users USING gin (proxy_settings jsonb_path_ops)',
  'DROP TRIGGER users_given_credentials ON users',
  'DROP FUNCTION change_user_credentials',
  ADD_SEARCHES('id, user_words(username, note)'),
  'ALTER TABLE user_searches DROP credentials',
  'DROP FUNCTION user_credentials',
];
