import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Credentials take two thirds of a user's row and are read for few at a time, while lists and counts read the rows of all:
 * they get a table of their own. And what belongs to a user or a group is checked, and deleted with it, by statements: a
 * foreign key asks once for each row, which took a third of the time in which many users are made or put into a group. The
 * number of users is kept rather than counted for each list.
 */
export class NarrowUsers1763719790000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...CREDENTIALS_APART, ...DROP_KEYS, ...BY_STATEMENT, ...COUNTED])
      await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of [...UNCOUNTED, ...BY_ROW, ...ADD_KEYS, ...CREDENTIALS_BACK]) await runner.query(statement);
  }
}

const addSearches = (columns: string): string => `CREATE OR REPLACE FUNCTION add_user_searches() RETURNS trigger
  LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO user_searches SELECT ${columns} FROM came;
      RETURN NULL;
    END
  $$`;

const CREDENTIALS_APART = [
  `CREATE TABLE user_proxy_settings (
    user_id integer NOT NULL CONSTRAINT user_proxy_settings_pkey PRIMARY KEY,
    proxy_settings jsonb NOT NULL
  )`,
  'INSERT INTO user_proxy_settings SELECT id, proxy_settings FROM users ORDER BY id',
  `CREATE INDEX user_proxy_settings_credentials ON user_proxy_settings
    USING gin (user_credentials(proxy_settings))`,
  'DROP TRIGGER users_given_credentials ON users',
  'DROP FUNCTION change_user_credentials',
  addSearches('id, user_words(username, note)'),
  'ALTER TABLE user_searches DROP credentials',
  'ALTER TABLE users DROP proxy_settings',
  // Writes all rows anew: what was dropped is still in them.
  'CLUSTER users USING users_pkey',
];

const CREDENTIALS_BACK = [
  'ALTER TABLE users ADD proxy_settings jsonb',
  'UPDATE users SET proxy_settings = known.proxy_settings FROM user_proxy_settings known WHERE known.user_id = users.id',
  'ALTER TABLE users ALTER proxy_settings SET NOT NULL',
  `ALTER TABLE user_searches ADD credentials text[] NOT NULL DEFAULT '{}'`,
  `UPDATE user_searches SET credentials = user_credentials(users.proxy_settings)
    FROM users WHERE users.id = user_searches.user_id`,
  'CREATE INDEX user_searches_credentials ON user_searches USING gin (credentials)',
  addSearches('id, user_words(username, note), user_credentials(proxy_settings)'),
  `CREATE FUNCTION change_user_credentials() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE user_searches SET credentials = user_credentials(NEW.proxy_settings) WHERE user_id = NEW.id;
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER users_given_credentials AFTER UPDATE OF proxy_settings ON users FOR EACH ROW
    WHEN (user_credentials(OLD.proxy_settings) IS DISTINCT FROM user_credentials(NEW.proxy_settings))
    EXECUTE FUNCTION change_user_credentials()`,
  'DROP TABLE user_proxy_settings',
];

/** Each is called as PostgreSQL calls it by itself. */
const KEYS = [
  ['user_groups', 'user_id', 'users'],
  ['user_groups', 'group_id', 'groups'],
  ['user_searches', 'user_id', 'users'],
  ['user_revisions', 'user_id', 'users'],
] as const;

const DROP_KEYS = KEYS.map(([table, column]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_fkey`);
const ADD_KEYS = KEYS.map(
  ([table, column, whole]) => `ALTER TABLE ${table} ADD CONSTRAINT ${table}_${column}_fkey
    FOREIGN KEY (${column}) REFERENCES ${whole} ON DELETE CASCADE`,
);

const countGroupUsers = (check: string): string => `CREATE OR REPLACE FUNCTION count_group_users() RETURNS trigger
  LANGUAGE plpgsql AS $$
    BEGIN
      ${check}
      UPDATE groups SET total_users = total_users + CASE TG_OP WHEN 'INSERT' THEN counted.users ELSE -counted.users END
      FROM (SELECT group_id, count(*) AS users FROM changed GROUP BY group_id) counted
      WHERE groups.id = counted.group_id;
      RETURN NULL;
    END
  $$`;

// Whoever makes or deletes memberships, users or groups with members holds the counter of revisions: what a statement finds
// here, nobody takes away before its transaction ends.
const BY_STATEMENT = [
  countGroupUsers(`IF TG_OP = 'INSERT' AND EXISTS (
        SELECT FROM (SELECT DISTINCT user_id FROM changed) given WHERE NOT EXISTS (SELECT FROM users WHERE id = user_id)
        UNION ALL
        SELECT FROM (SELECT DISTINCT group_id FROM changed) given WHERE NOT EXISTS (SELECT FROM groups WHERE id = group_id)
      ) THEN
        RAISE foreign_key_violation USING MESSAGE = 'a user or a group of these memberships does not exist';
      END IF;`),
  `CREATE FUNCTION delete_user_rows() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM user_groups USING went WHERE user_id = went.id;
      DELETE FROM user_searches USING went WHERE user_id = went.id;
      DELETE FROM user_revisions USING went WHERE user_id = went.id;
      DELETE FROM user_proxy_settings USING went WHERE user_id = went.id;
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER users_went AFTER DELETE ON users
    REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION delete_user_rows()`,
  `CREATE FUNCTION delete_group_rows() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM user_groups USING went WHERE group_id = went.id;
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER groups_went AFTER DELETE ON groups
    REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION delete_group_rows()`,
];

const COUNTED = [
  `INSERT INTO counters (name, value) SELECT 'users', count(*) FROM users`,
  `CREATE FUNCTION count_users() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE counters SET value = value + (SELECT CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed)
      WHERE name = 'users';
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER users_counted AFTER INSERT ON users
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_users()`,
  `CREATE TRIGGER users_discounted AFTER DELETE ON users
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_users()`,
];

const UNCOUNTED = [
  'DROP TRIGGER users_counted ON users',
  'DROP TRIGGER users_discounted ON users',
  'DROP FUNCTION count_users',
  `DELETE FROM counters WHERE name = 'users'`,
];

const BY_ROW = [
  'DROP TRIGGER users_went ON users',
  'DROP TRIGGER groups_went ON groups',
  'DROP FUNCTION delete_user_rows, delete_group_rows',
  countGroupUsers(''),
];
