import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scratchFolder } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../app/data-source.js';
import { LogRetention } from '../audit/log-retention.js';
import { copyCluster } from '../testing/copy-cluster.js';
import { createDatabase } from '../testing/migrated-database.js';
import { TestManagement } from '../testing/test-management.js';
import { EmbeddedPostgres } from './embedded/embedded-postgres.js';

/** Owners of all tables, sequences and functions of Rampart. */
const OWNERS = `
  SELECT DISTINCT pg_get_userbyid(owner) AS owner FROM (
    SELECT relowner AS owner FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'S')
    UNION ALL SELECT proowner FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
  ) all_owners`;

const months = async (database: Pick<DataSource, 'query'>): Promise<string[]> =>
  (
    await database.query<{ name: string }[]>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_entries'::regclass ORDER BY 1`,
    )
  ).map(({ name }) => name);

describe('the role of the service on the embedded database', () => {
  let management: TestManagement;
  beforeAll(async () => {
    management = await TestManagement.start({ DATABASE_URL: '', RAMPART_AUDIT_DAYS: '40' });
    await management.call('POST', '/api/user', { username: 'anna' });
  });
  afterAll(() => management?.close());

  it.each([
    ["COPY (SELECT 1) TO PROGRAM 'true'", 'permission denied to COPY to or from an external program'],
    ["COPY settings FROM PROGRAM 'true'", 'permission denied to COPY to or from an external program'],
    ["COPY settings TO '/tmp/settings'", 'permission denied to COPY to a file'],
    ["SELECT pg_read_file('/etc/passwd')", 'permission denied for function pg_read_file'],
    ["SELECT pg_ls_dir('/')", 'permission denied for function pg_ls_dir'],
    ["SELECT lo_import('/etc/passwd')", 'permission denied for function lo_import'],
    ['SELECT rolpassword FROM pg_authid', 'permission denied for table pg_authid'],
    ['ALTER TABLE users DISABLE TRIGGER ALL', 'must be owner of table users'],
    ['TRUNCATE users', 'permission denied for table users'],
    ['DROP TABLE users', 'must be owner of table users'],
    ['CREATE TABLE own (id integer)', 'permission denied for schema public'],
    ['CREATE TEMPORARY TABLE own (id integer)', 'permission denied to create temporary tables in database "rampart"'],
    ['CREATE FUNCTION own() RETURNS integer LANGUAGE sql RETURN 1', 'permission denied for schema public'],
    ['CREATE EXTENSION file_fdw', 'permission denied to create extension "file_fdw"'],
    ['ALTER ROLE rampart_service SUPERUSER', 'permission denied to alter role'],
    ['SET ROLE rampart_owner', 'permission denied to set role "rampart_owner"'],
    ["SET session_replication_role = 'replica'", 'permission denied to set parameter "session_replication_role"'],
    ["ALTER SYSTEM SET archive_command = 'true'", 'permission denied to set parameter "archive_command"'],
    ["UPDATE migrations SET name = 'other'", 'permission denied for table migrations'],
  ])('security row 64: the role of the service is refused %s', async (sql, message) => {
    await expect(management.database.query(sql)).rejects.toThrow(message);
  });

  it('security row 64: the role of the service owns nothing, and the owner is no superuser', async () => {
    const [role] = await management.database.query('SELECT current_user AS name');
    expect(role).toEqual({ name: 'rampart_service' });
    expect(
      await management.database.query(
        `SELECT rolname, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls,
           EXISTS (SELECT FROM pg_auth_members WHERE member = pg_roles.oid) AS belongs
         FROM pg_roles WHERE rolname ~ '^rampart_' ORDER BY rolname`,
      ),
    ).toEqual(
      ['rampart_owner', 'rampart_service'].map((rolname) => ({
        ...{ rolname, rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolbypassrls: false, belongs: false },
      })),
    );
    expect(await management.database.query(OWNERS)).toEqual([{ owner: 'rampart_owner' }]);
  });

  it.each([
    ['UPDATE # SET actor = $$x$$', 'permission denied for table #'],
    ['DELETE FROM #', 'permission denied for table #'],
    ['TRUNCATE #', 'permission denied for table #'],
    ['DROP TABLE #', 'must be owner of table #'],
    ['ALTER TABLE # DISABLE TRIGGER ALL', 'must be owner of table #'],
    ['CREATE RULE quiet AS ON INSERT TO # DO INSTEAD NOTHING', 'must be owner of table #'],
  ])(
    'security row 65: the role of the service is refused %s on the log of changes and its months',
    async (sql, message) => {
      const [month = ''] = await months(management.database);
      for (const table of ['audit_entries', month])
        await expect(management.database.query(sql.replace('#', table))).rejects.toThrow(message.replace('#', table));
    },
  );

  it.each([
    [
      'CREATE OR REPLACE FUNCTION audit_days() RETURNS integer STABLE LANGUAGE sql RETURN 0',
      'permission denied for schema public',
    ],
    ['DROP FUNCTION refuse_audit_change() CASCADE', 'must be owner of function refuse_audit_change'],
    [`SELECT create_log_month('users', '2020-01-01')`, 'users is no log'],
    [`SELECT drop_log_month('nodes', now())`, 'nodes is no log'],
  ])('security row 65: the role of the service is refused %s', async (sql, message) => {
    await expect(management.database.query(sql)).rejects.toThrow(message);
  });

  it('security row 65: the database drops no month of the log of changes that must be kept, whatever the service asks for', async () => {
    const { database } = management;
    const kept = await months(database);
    await database.query(`SELECT create_log_month('audit_entries', (now() - interval '40 days')::date)`);
    await database.query(`SELECT create_log_month('audit_entries', '2020-01-31')`);
    const drop = async () =>
      (await database.query(`SELECT drop_log_month('audit_entries', now() + interval '10 years') AS dropped`))[0]
        .dropped;
    expect(await months(database)).toHaveLength(kept.length + 2);
    expect(await months(database)).toContain('audit_entries_202001');
    expect([await drop(), await drop()]).toEqual([true, false]);
    expect(await months(database)).toHaveLength(kept.length + 1);
    expect(await months(database)).not.toContain('audit_entries_202001');
    await expect(management.database.query('DROP TABLE audit_entries_202001')).rejects.toThrow('does not exist');
  });

  it('the role of the service creates the coming months and drops old ones, as the hourly task does', async () => {
    const { database } = management;
    await database.query(`SELECT create_log_month('user_traffic_resets', '2020-01-31')`);
    await management.app.get(LogRetention).run(new Date());
    const [row] = await database.query(
      `SELECT count(*)::integer AS old FROM pg_class WHERE relname = 'user_traffic_resets_202001'`,
    );
    expect(row).toEqual({ old: 0 });
  });
});

describe('a data folder from before the roles', () => {
  it('security row 64: a database that belongs to the superuser is handed over at the next start, with all that is in it', async () => {
    const folder = await mkdtemp(join(scratchFolder(), 'rampart-before-roles-'));
    const dataDir = join(folder, 'postgres');
    await copyCluster(dataDir);
    const server = await EmbeddedPostgres.start({ dataDir, log: () => undefined });
    const superuser = await createDataSource(server.superuserUrl).initialize();
    await superuser.query('REASSIGN OWNED BY rampart_owner TO rampart');
    await superuser.query('DROP OWNED BY rampart_owner, rampart_service');
    await superuser.query('DROP ROLE rampart_owner, rampart_service');
    await superuser.query(`INSERT INTO groups (name) VALUES ('kept')`);
    expect(await superuser.query(OWNERS)).toEqual([{ owner: 'rampart' }]);
    await superuser.destroy();
    await server.stop();

    const management = await TestManagement.start({ RAMPART_DATA_DIR: folder });
    try {
      expect(await management.database.query(OWNERS)).toEqual([{ owner: 'rampart_owner' }]);
      expect(await management.database.query('SELECT name FROM groups')).toEqual([{ name: 'kept' }]);
      expect((await management.call('POST', '/api/user', { username: 'berta' })).status).toBe(201);
      await expect(management.database.query('TRUNCATE audit_entries')).rejects.toThrow('permission denied');
    } finally {
      await management.close();
      await rm(folder, { recursive: true });
    }
  });
});

describe('two roles on a server of the operator', () => {
  it('a start is refused where the role of DATABASE_OWNER_URL does not own the tables', async () => {
    const server = await createDatabase('migrated');
    const urls = { DATABASE_URL: server.serviceUrl, DATABASE_OWNER_URL: server.superuserUrl };
    await expect(TestManagement.start(urls)).rejects.toThrow(
      'DATABASE_OWNER_URL: the tables belong to rampart_owner, not to rampart: hand them over as docs/database.md describes, or name their owner',
    );
  });

  it('security row 64: DATABASE_OWNER_URL migrates, and the role of DATABASE_URL gets what it needs and no more', async () => {
    const server = await createDatabase('empty');
    const urls = { DATABASE_URL: server.serviceUrl, DATABASE_OWNER_URL: server.url };
    const management = await TestManagement.start(urls);
    try {
      expect((await management.call('POST', '/api/user', { username: 'anna' })).status).toBe(201);
      expect(await management.call('GET', '/api/audit?action=user.create')).toMatchObject({
        status: 200,
        body: { entries: [{ target: 'user/anna' }] },
      });
      expect(await management.database.query(OWNERS)).toEqual([{ owner: 'rampart_owner' }]);
      await expect(management.database.query('DELETE FROM audit_entries')).rejects.toThrow('permission denied');
      await expect(management.database.query('DROP TABLE users')).rejects.toThrow('must be owner of table users');
    } finally {
      await management.close();
    }
  });
});
