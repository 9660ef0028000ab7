import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When something becomes due for a user, each with the index that finds it. None stands on what traffic changes. */
export class UserLifeCycle1763719720000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...COLUMNS, STATUS_CHANGED, STATUS_TRIGGER, NOTICES, ...INDEXES]) {
      await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE user_traffic_notices');
    await runner.query('DROP TRIGGER users_status_changed ON users');
    await runner.query('DROP FUNCTION users_status_changed');
    await runner.query('ALTER TABLE nodes DROP traffic_sealed_at');
    await runner.query('ALTER TABLE users DROP next_plan, DROP next_reset_at, DROP status_changed_at');
  }
}

const PERIOD = `CASE data_limit_reset_strategy
  WHEN 'day' THEN 1 WHEN 'week' THEN 7 WHEN 'month' THEN 30 WHEN 'year' THEN 365 END * 86400`;

const COLUMNS = [
  'ALTER TABLE users ADD next_plan jsonb, ADD next_reset_at timestamptz, ADD status_changed_at timestamptz',
  'ALTER TABLE nodes ADD traffic_sealed_at timestamptz',
  `UPDATE users SET status_changed_at = now() WHERE status <> 'active'`,
  `UPDATE users SET next_reset_at =
     created_at + (floor(extract(epoch FROM now() - created_at) / (${PERIOD})) + 1) * (${PERIOD}) * interval '1 second'
   WHERE data_limit > 0 AND data_limit_reset_strategy <> 'no_reset'`,
];

/** In the database, so that nothing that changes a status can forget it. */
const STATUS_CHANGED = `CREATE FUNCTION users_status_changed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.status_changed_at = clock_timestamp();
    RETURN NEW;
  END $$`;

const STATUS_TRIGGER = `CREATE TRIGGER users_status_changed BEFORE UPDATE OF status ON users
  FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION users_status_changed()`;

const NOTICES = `CREATE TABLE user_traffic_notices (
    user_id integer NOT NULL CONSTRAINT user_traffic_notices_pkey PRIMARY KEY
      CONSTRAINT user_traffic_notices_user_id_fkey REFERENCES users ON DELETE CASCADE,
    traffic_since timestamptz NOT NULL
  )`;

const ENDED_AT = 'coalesce(status_changed_at, created_at)';

const INDEXES = [
  `CREATE INDEX users_end ON users (status, expire)
   WHERE status IN ('active', 'limited', 'expired') AND expire IS NOT NULL`,
  `CREATE INDEX users_hold_end ON users (on_hold_timeout) WHERE status = 'on_hold' AND on_hold_timeout IS NOT NULL`,
  'CREATE INDEX users_next_reset ON users (next_reset_at) WHERE next_reset_at IS NOT NULL',
  `CREATE INDEX users_pending_plan ON users (((next_plan ->> 'user_template_id')::integer), id)
   WHERE status IN ('expired', 'limited') AND next_plan IS NOT NULL`,
  `CREATE INDEX users_own_deletion
   ON users (status, ((${ENDED_AT} AT TIME ZONE 'UTC') + make_interval(days => auto_delete_in_days)))
   WHERE status IN ('expired', 'limited') AND auto_delete_in_days IS NOT NULL`,
  `CREATE INDEX users_default_deletion ON users (status, (${ENDED_AT}))
   WHERE status IN ('expired', 'limited') AND auto_delete_in_days IS NULL`,
];
