const ENDED_AT = 'coalesce(status_changed_at, created_at)';
const PLANNED_TEMPLATE = `next_plan ->> 'user_template_id'`;

/** When something becomes due for a user, with the index that finds it. No index covers columns that traffic changes. */
export const LIFE_CYCLE = [
  // This is a trigger, so that no statement that changes a status can forget the time of the change.
  `CREATE FUNCTION users_status_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.status_changed_at = clock_timestamp();
      IF OLD.status IN ('active', 'on_hold') AND NEW.status NOT IN ('active', 'on_hold') THEN
        NEW.served_until = clock_timestamp();
      END IF;
      RETURN NEW;
    END
  $$`,
  `CREATE TRIGGER users_status_changed BEFORE UPDATE OF status ON users
    FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION users_status_changed()`,
  // Users whose traffic was counted after their status was last checked.
  `CREATE TABLE user_traffic_notices (
    user_id integer NOT NULL CONSTRAINT user_traffic_notices_pkey PRIMARY KEY
      CONSTRAINT user_traffic_notices_user_id_fkey REFERENCES users ON DELETE CASCADE,
    traffic_since timestamptz NOT NULL
  )`,
  `CREATE TABLE unsettled_users (
    user_id integer NOT NULL CONSTRAINT unsettled_users_pkey PRIMARY KEY
      CONSTRAINT unsettled_users_user_id_fkey REFERENCES users ON DELETE CASCADE,
    since timestamptz NOT NULL DEFAULT now(),
    retry_at timestamptz NOT NULL
  )`,
  `CREATE INDEX users_end ON users (status, expire)
    WHERE status IN ('active', 'limited', 'expired') AND expire IS NOT NULL`,
  `CREATE INDEX users_hold_end ON users (on_hold_timeout) WHERE status = 'on_hold' AND on_hold_timeout IS NOT NULL`,
  'CREATE INDEX users_next_reset ON users (next_reset_at) WHERE next_reset_at IS NOT NULL',
  // A plan with an invalid template id must not fail the statement that changes its user.
  `CREATE INDEX users_pending_plan ON users
    ((CASE WHEN ${PLANNED_TEMPLATE} ~ '^[0-9]{1,9}$' THEN (${PLANNED_TEMPLATE})::integer END), id)
    WHERE status IN ('expired', 'limited') AND next_plan IS NOT NULL`,
  `CREATE INDEX users_own_deletion ON users
    (status, ((${ENDED_AT} AT TIME ZONE 'UTC') + make_interval(days => auto_delete_in_days)))
    WHERE status IN ('expired', 'limited') AND auto_delete_in_days IS NOT NULL`,
  `CREATE INDEX users_default_deletion ON users (status, (${ENDED_AT}))
    WHERE status IN ('expired', 'limited') AND auto_delete_in_days IS NULL`,
];
