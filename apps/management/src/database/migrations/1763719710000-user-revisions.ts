import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A revision moves with every bulk change: beside the wide row of its user, none of that row's indexes is written. */
export class UserRevisions1763719710000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE user_revisions (
      user_id integer NOT NULL CONSTRAINT user_revisions_pkey PRIMARY KEY
        CONSTRAINT user_revisions_user_id_fkey REFERENCES users ON DELETE CASCADE,
      revision bigint NOT NULL
    )`);
    await runner.query('INSERT INTO user_revisions (user_id, revision) SELECT id, revision FROM users');
    await runner.query('CREATE INDEX user_revisions_by_revision ON user_revisions (revision, user_id)');
    await runner.query('ALTER TABLE users DROP revision');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users ADD revision bigint NOT NULL DEFAULT 0');
    await runner.query('ALTER TABLE users ALTER revision DROP DEFAULT');
    await runner.query(
      'UPDATE users SET revision = known.revision FROM user_revisions known WHERE known.user_id = users.id',
    );
    await runner.query('CREATE INDEX users_revision ON users (revision, id)');
    await runner.query('DROP TABLE user_revisions');
  }
}
