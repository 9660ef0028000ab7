import type { DataSource, EntityManager } from 'typeorm';
import { DatabaseError } from './connection-error.js';

/** The role with which a data source connects. */
export async function roleOf(database: DataSource): Promise<string> {
  const [row] = await database.query<{ role: string }[]>('SELECT current_user AS role');
  return row?.role ?? '';
}

/**
 * What a role lacks to work with the tables of the current role, as statements: it may read and write rows, call the
 * functions for partitions, and only add to the log of changes.
 */
const MISSING = `
  WITH needed AS (
    SELECT oid, relname, relkind, unnest(CASE
      WHEN relkind = 'S' THEN ARRAY['USAGE', 'SELECT']
      WHEN relname = 'migrations' THEN ARRAY['SELECT']
      WHEN relname = 'audit_entries' THEN ARRAY['SELECT', 'INSERT']
      ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END) AS privilege
    FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relowner = current_user::regrole
      AND relkind IN ('r', 'p', 'S') AND NOT relispartition
  )
  SELECT format('GRANT %s ON %I TO %I', privilege, relname, $1::text) AS statement FROM needed
  WHERE NOT CASE relkind WHEN 'S' THEN has_sequence_privilege($1, oid, privilege)
    ELSE has_table_privilege($1, oid, privilege) END
  UNION ALL
  SELECT format('GRANT EXECUTE ON FUNCTION %s TO %I', oid::regprocedure, $1::text) FROM pg_proc
  WHERE pronamespace = current_schema()::regnamespace AND proowner = current_user::regrole AND prosecdef
    AND NOT has_function_privilege($1, oid, 'EXECUTE')`;

/**
 * Lets the role of the service work with the tables of the current role, where these are two.
 *
 * @throws DatabaseError when the tables belong to neither
 */
export async function admitRole(manager: EntityManager, role: string): Promise<void> {
  const [found] = await manager.query<{ own: string; owner: string }[]>(
    `SELECT current_user AS own, pg_get_userbyid(relowner) AS owner FROM pg_class WHERE oid = 'audit_entries'::regclass`,
  );
  if (!found || found.own === role) return;
  if (found.owner !== found.own)
    throw new DatabaseError(
      `DATABASE_OWNER_URL: the tables belong to ${found.owner}, not to ${found.own}: hand them over as docs/database.md describes, or name their owner`,
    );
  for (const { statement } of await manager.query<{ statement: string }[]>(MISSING, [role]))
    await manager.query(statement);
}

/** Has the database itself keep the log of changes for so many days; the role of the service cannot change it. */
export async function keepAuditDays(manager: EntityManager, days: number): Promise<void> {
  const [row] = await manager.query<{ days: number }[]>('SELECT audit_days() AS days');
  if (row?.days === days) return;
  await manager.query(`CREATE OR REPLACE FUNCTION audit_days() RETURNS integer STABLE LANGUAGE sql RETURN ${days}`);
}
