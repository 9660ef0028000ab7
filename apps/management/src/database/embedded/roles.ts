import { createHmac } from 'node:crypto';
import pg from 'pg';
import { RAMPART } from './cluster.js';

/** The role that owns the database and its tables. It migrates them, and makes and restores backups. */
export const OWNER = 'rampart_owner';
/** The role of the service, which reads and writes rows and owns nothing. */
export const SERVICE = 'rampart_service';

const PLAIN = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';

/** The password of a role follows from that of the superuser, but not the other way round. */
export const rolePassword = (superuserPassword: string, role: string): string =>
  createHmac('sha256', superuserPassword).update(`rampart database role ${role}`).digest('base64url');

/** What was created before the roles existed belongs to the superuser. Sequences of columns and partitions' indexes follow their tables. */
const HAND_OVER = `DO $$
  DECLARE statement text;
  BEGIN
    FOR statement IN
      SELECT format('ALTER %s %s OWNER TO ${OWNER}',
        CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END, oid::regclass)
      FROM pg_class
      WHERE relkind IN ('r', 'p', 'S', 'v', 'm') AND relowner = current_user::regrole
        AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
        AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid
          AND (deptype = 'e' OR relkind = 'S' AND deptype IN ('a', 'i')))
      UNION ALL
      SELECT format('ALTER ROUTINE %s OWNER TO ${OWNER}', oid::regprocedure)
      FROM pg_proc
      WHERE proowner = current_user::regrole
        AND pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
        AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
    LOOP
      EXECUTE statement;
    END LOOP;
  END $$`;

/**
 * Creates the database and its two roles where they are missing, and gives the one everything in it.
 *
 * @param superuser of the cluster, who does nothing else
 */
export async function ensureDatabase(superuser: pg.ClientConfig & { password: string }): Promise<void> {
  await withClient({ ...superuser, database: 'postgres' }, async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [RAMPART]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${RAMPART}`);
    for (const role of [OWNER, SERVICE]) {
      const found = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
      const verb = found.rowCount === 0 ? 'CREATE' : 'ALTER';
      await client.query(`${verb} ROLE ${role} ${PLAIN} PASSWORD '${rolePassword(superuser.password, role)}'`);
    }
    await client.query(`ALTER DATABASE ${RAMPART} OWNER TO ${OWNER}`);
    await client.query(`REVOKE ALL ON DATABASE ${RAMPART} FROM PUBLIC`);
    await client.query(`GRANT CONNECT ON DATABASE ${RAMPART} TO ${SERVICE}`);
  });
  await withClient({ ...superuser, database: RAMPART }, (client) => client.query(HAND_OVER));
}

async function withClient(config: pg.ClientConfig, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
