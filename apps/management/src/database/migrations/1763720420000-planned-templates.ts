import type { MigrationInterface, QueryRunner } from 'typeorm';

const create = (template: string) => `CREATE INDEX users_pending_plan ON users ((${template}), id)
  WHERE status IN ('expired', 'limited') AND next_plan IS NOT NULL`;

const TEXT = `next_plan ->> 'user_template_id'`;

/** A plan whose template is no id must not stop the statement that changes its user, nor those of others. */
export class PlannedTemplates1763720420000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX users_pending_plan');
    await runner.query(create(`CASE WHEN ${TEXT} ~ '^[0-9]{1,9}$' THEN (${TEXT})::integer END`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX users_pending_plan');
    await runner.query(create(`(${TEXT})::integer`));
  }
}
