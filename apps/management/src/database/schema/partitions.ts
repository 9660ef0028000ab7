/**
 * Functions that create, empty and drop the tables of months and days. They run with the rights of the role that owns the
 * tables, so that the role of the service needs none of them. They cannot drop what must be kept.
 */
const FUNCTIONS = [
  'create_log_month(text, date)',
  'drop_log_month(text, timestamptz)',
  'create_usage_day(date)',
  'drop_usage_day(timestamptz)',
  'empty_usage_days(timestamptz, timestamptz)',
];

const PARTITIONS_OF = (table: string) =>
  `FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = ${table}::regclass`;

/** Only one replica at a time creates the tables of new months and days. */
const MONTHS_LOCK = 0x6d_6f_6e_74; // "mont"
const DAYS_LOCK = 0x64_61_79_73; // "days"

export const PARTITION_FUNCTIONS = [
  // How many days the log of changes is kept at least. Each start writes RAMPART_AUDIT_DAYS here, as the owner of the tables.
  'CREATE FUNCTION audit_days() RETURNS integer STABLE LANGUAGE sql RETURN 365',
  // The table is created and then attached, so that neither readers nor writers of other months have to wait.
  `CREATE FUNCTION create_log_month(log text, month date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
    DECLARE
      part text := log || to_char(month, '_YYYYMM');
      start timestamp := date_trunc('month', month::timestamp);
    BEGIN
      IF log NOT IN ('audit_entries', 'user_traffic_resets', 'admin_traffic_resets') THEN
        RAISE EXCEPTION '% is no log', log;
      END IF;
      IF EXISTS (SELECT ${PARTITIONS_OF('log')} AND relname = part) THEN RETURN; END IF;
      PERFORM pg_advisory_xact_lock(${MONTHS_LOCK});
      IF EXISTS (SELECT ${PARTITIONS_OF('log')} AND relname = part) THEN RETURN; END IF;
      EXECUTE format('CREATE TABLE %I (LIKE %I)', part, log);
      -- Triggers on the log do not fire for statements on the table of a month, so that table gets its own trigger.
      IF log = 'audit_entries' THEN
        EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %I EXECUTE FUNCTION refuse_audit_change()',
          part || '_append_only', part);
      END IF;
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', log, part,
        start AT TIME ZONE 'UTC', (start + interval '1 month') AT TIME ZONE 'UTC');
    END
  $$`,
  // All reads and writes of the log wait behind the lock of a drop, so it gives up early and the next run tries again.
  `CREATE FUNCTION drop_log_month(log text, before timestamptz) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET lock_timeout = '2s' AS $$
    DECLARE
      oldest text;
    BEGIN
      IF log NOT IN ('audit_entries', 'user_traffic_resets', 'admin_traffic_resets') THEN
        RAISE EXCEPTION '% is no log', log;
      END IF;
      IF log = 'audit_entries' THEN before := least(before, now() - make_interval(days => audit_days())); END IF;
      SELECT relname INTO oldest ${PARTITIONS_OF('log')} ORDER BY relname LIMIT 1;
      IF oldest IS NULL OR (to_date(right(oldest, 6), 'YYYYMM') + interval '1 month') AT TIME ZONE 'UTC' > before THEN
        RETURN false;
      END IF;
      EXECUTE format('DROP TABLE %I', oldest);
      RETURN true;
    END
  $$`,
  `CREATE FUNCTION create_usage_day(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
    DECLARE
      part text := to_char(day, '"node_user_usages_"YYYYMMDD');
    BEGIN
      IF EXISTS (SELECT ${PARTITIONS_OF(`'node_user_usages'`)} AND relname = part) THEN RETURN; END IF;
      PERFORM pg_advisory_xact_lock(${DAYS_LOCK});
      IF EXISTS (SELECT ${PARTITIONS_OF(`'node_user_usages'`)} AND relname = part) THEN RETURN; END IF;
      EXECUTE format('CREATE TABLE %I (LIKE node_user_usages)', part);
      EXECUTE format('ALTER TABLE node_user_usages ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part,
        day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
    END
  $$`,
  `CREATE FUNCTION drop_usage_day(before timestamptz) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET lock_timeout = '2s' AS $$
    DECLARE
      oldest text;
    BEGIN
      SELECT relname INTO oldest ${PARTITIONS_OF(`'node_user_usages'`)} ORDER BY relname LIMIT 1;
      IF oldest IS NULL OR (to_date(right(oldest, 8), 'YYYYMMDD') + 1)::timestamp AT TIME ZONE 'UTC' > before THEN
        RETURN false;
      END IF;
      EXECUTE format('DROP TABLE %I', oldest);
      RETURN true;
    END
  $$`,
  // Empties the tables of the days that lie completely in [from_time, to_time), which takes no time however many rows they have.
  `CREATE FUNCTION empty_usage_days(from_time timestamptz, to_time timestamptz) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
    DECLARE
      tables text;
    BEGIN
      SELECT string_agg(quote_ident(relname), ', ') INTO tables ${PARTITIONS_OF(`'node_user_usages'`)}
        AND to_date(right(relname, 8), 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC' >= from_time
        AND (to_date(right(relname, 8), 'YYYYMMDD') + 1)::timestamp AT TIME ZONE 'UTC' <= to_time;
      IF tables IS NOT NULL THEN EXECUTE 'TRUNCATE ' || tables; END IF;
    END
  $$`,
  // Names in a function mean what they meant to its owner, whatever the caller has named so.
  `DO $$
    DECLARE
      signature text;
    BEGIN
      FOREACH signature IN ARRAY ARRAY[${FUNCTIONS.map((name) => `'${name}'`).join(', ')}] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', signature, current_schema());
      END LOOP;
    END
  $$`,
  `REVOKE EXECUTE ON FUNCTION ${FUNCTIONS.join(', ')} FROM PUBLIC`,
];
