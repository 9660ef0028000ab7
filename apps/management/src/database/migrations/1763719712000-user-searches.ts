import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a search looks at, in a narrow table of its own: a text that no index can find is then found by reading a tenth of
 * the users' pages, and a change of a user that leaves its name and note alone writes no index of trigrams.
 */
export class UserSearches1763719712000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE user_searches (
      user_id integer NOT NULL CONSTRAINT user_searches_pkey PRIMARY KEY
        CONSTRAINT user_searches_user_id_fkey REFERENCES users ON DELETE CASCADE,
      words text NOT NULL
    )`);
    await runner.query(`CREATE FUNCTION user_words(username text, note text) RETURNS text IMMUTABLE LANGUAGE sql
      RETURN lower(username || chr(10) || coalesce(note, ''))`);
    await runner.query('INSERT INTO user_searches SELECT id, user_words(username, note) FROM users');
    await runner.query('CREATE INDEX user_searches_words ON user_searches USING gin (words gin_trgm_ops)');
    // Users come many at a time, and are renamed one by one.
    await runner.query(`CREATE FUNCTION add_user_searches() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO user_searches SELECT id, user_words(username, note) FROM came;
        RETURN NULL;
      END
    $$`);
    await runner.query(`CREATE TRIGGER users_came AFTER INSERT ON users
      REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION add_user_searches()`);
    await runner.query(`CREATE FUNCTION change_user_search() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE user_searches SET words = user_words(NEW.username, NEW.note) WHERE user_id = NEW.id;
        RETURN NULL;
      END
    $$`);
    await runner.query(`CREATE TRIGGER users_renamed AFTER UPDATE OF username, note ON users FOR EACH ROW
      WHEN ((OLD.username, OLD.note) IS DISTINCT FROM (NEW.username, NEW.note)) EXECUTE FUNCTION change_user_search()`);
    await runner.query('DROP INDEX users_search');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX users_search ON users USING gin (lower(username) gin_trgm_ops, lower(note) gin_trgm_ops)',
    );
    await runner.query('DROP TRIGGER users_came ON users');
    await runner.query('DROP TRIGGER users_renamed ON users');
    await runner.query('DROP TABLE user_searches');
    await runner.query('DROP FUNCTION add_user_searches, change_user_search, user_words');
  }
}
