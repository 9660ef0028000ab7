/**
 * Tables of logs, which are partitioned by month. Their ids come from sequences, because PostgreSQL before version 17
 * has no identity columns in partitioned tables.
 */
export const LOGS = [
  'CREATE SEQUENCE audit_entries_id_seq',
  `CREATE TABLE audit_entries (
    id bigint NOT NULL DEFAULT nextval('audit_entries_id_seq'),
    at timestamptz NOT NULL DEFAULT now(),
    actor varchar(128) NOT NULL,
    actor_id integer,
    token_id integer,
    token_name varchar(64),
    session_id integer,
    address varchar(64),
    action varchar(64) NOT NULL COLLATE "C",
    target varchar(512) NOT NULL,
    difference json NOT NULL,
    CONSTRAINT audit_entries_pkey PRIMARY KEY (id, at)
  ) PARTITION BY RANGE (at)`,
  'ALTER SEQUENCE audit_entries_id_seq OWNED BY audit_entries.id',
  'CREATE INDEX audit_entries_by_actor ON audit_entries (actor, id)',
  'CREATE INDEX audit_entries_by_action ON audit_entries (action, id)',
  'CREATE INDEX audit_entries_by_target ON audit_entries (target, id)',
  'CREATE INDEX audit_entries_by_time ON audit_entries (at, id)',
  'CREATE INDEX audit_entries_by_token ON audit_entries (token_id, id) WHERE token_id IS NOT NULL',
  `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'the audit log is only ever added to';
    END
  $$`,
  `CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
    EXECUTE FUNCTION refuse_audit_change()`,
  // There is no foreign key, because it would search every month for each deleted user.
  'CREATE SEQUENCE user_traffic_resets_id_seq',
  `CREATE TABLE user_traffic_resets (
    id bigint NOT NULL DEFAULT nextval('user_traffic_resets_id_seq'),
    user_id integer NOT NULL,
    used_traffic bigint NOT NULL,
    reset_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT user_traffic_resets_pkey PRIMARY KEY (id, reset_at)
  ) PARTITION BY RANGE (reset_at)`,
  'ALTER SEQUENCE user_traffic_resets_id_seq OWNED BY user_traffic_resets.id',
  'CREATE INDEX user_traffic_resets_by_user ON user_traffic_resets (user_id, reset_at)',
  'CREATE SEQUENCE admin_traffic_resets_id_seq',
  `CREATE TABLE admin_traffic_resets (
    id bigint NOT NULL DEFAULT nextval('admin_traffic_resets_id_seq'),
    admin_id integer NOT NULL CONSTRAINT admin_traffic_resets_admin_id_fkey REFERENCES admins ON DELETE CASCADE,
    used_traffic bigint NOT NULL,
    reset_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT admin_traffic_resets_pkey PRIMARY KEY (id, reset_at)
  ) PARTITION BY RANGE (reset_at)`,
  'ALTER SEQUENCE admin_traffic_resets_id_seq OWNED BY admin_traffic_resets.id',
  'CREATE INDEX admin_traffic_resets_by_admin ON admin_traffic_resets (admin_id, reset_at)',
];
