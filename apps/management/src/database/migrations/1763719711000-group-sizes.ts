import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A group knows how many users it has: counting all memberships takes longer than a list of groups may. Whoever changes
 * memberships holds the counter of revisions, so that nobody waits for the row of a group.
 */
export class GroupSizes1763719711000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE groups ADD total_users integer NOT NULL DEFAULT 0');
    await runner.query(`UPDATE groups SET total_users = counted.users FROM (
      SELECT group_id, count(*) AS users FROM user_groups GROUP BY group_id
    ) counted WHERE groups.id = counted.group_id`);
    await runner.query(`CREATE FUNCTION count_group_users() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE groups SET total_users = total_users + CASE TG_OP WHEN 'INSERT' THEN counted.users ELSE -counted.users END
        FROM (SELECT group_id, count(*) AS users FROM changed GROUP BY group_id) counted
        WHERE groups.id = counted.group_id;
        RETURN NULL;
      END
    $$`);
    await runner.query(`CREATE TRIGGER user_groups_came AFTER INSERT ON user_groups
      REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_group_users()`);
    await runner.query(`CREATE TRIGGER user_groups_went AFTER DELETE ON user_groups
      REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_group_users()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER user_groups_came ON user_groups');
    await runner.query('DROP TRIGGER user_groups_went ON user_groups');
    await runner.query('DROP FUNCTION count_group_users');
    await runner.query('ALTER TABLE groups DROP total_users');
  }
}
