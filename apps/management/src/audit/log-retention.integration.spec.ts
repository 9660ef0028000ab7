import { beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { createLogMonth, createLogMonths, MONTHLY_LOGS, type MonthlyLog } from '../database/schema/log-months.js';
import { readManagementEnv } from '../env/management-env.js';
import { createMigratedDatabase } from '../testing/migrated-database.js';
import { AuditEntry } from './audit-entry.entity.js';
import { LogRetention } from './log-retention.js';
import { recordAudit } from './record-audit.js';

const LOGS = Object.keys(MONTHLY_LOGS) as MonthlyLog[];

let database: DataSource;
let retention: LogRetention;
beforeEach(async () => {
  database = await createMigratedDatabase();
  const settings = { RAMPART_AUDIT_DAYS: '39', RAMPART_RESET_LOG_DAYS: '10' };
  retention = new LogRetention(database, readManagementEnv(settings));
  await database.query(`INSERT INTO admins (id, username, password_hash) VALUES (1, 'root', 'x')`);
});

const tables = async (log: MonthlyLog): Promise<string[]> =>
  (
    await database.query(
      'SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = $1::regclass ORDER BY 1',
      [log],
    )
  ).map(({ relname }: { relname: string }) => relname.slice(-6));

const INSERT: Readonly<Record<MonthlyLog, string>> = {
  audit_entries: `INSERT INTO audit_entries (at, actor, action, target, difference) VALUES ($1, 'a', 'b.c', 'd', '{}')`,
  user_traffic_resets: 'INSERT INTO user_traffic_resets (reset_at, user_id, used_traffic) VALUES ($1, 7, 8)',
  admin_traffic_resets: 'INSERT INTO admin_traffic_resets (reset_at, admin_id, used_traffic) VALUES ($1, 1, 8)',
};

/** Writes one row at each of the moments into each log. */
async function write(...moments: string[]): Promise<void> {
  for (const log of LOGS)
    for (const moment of moments) {
      await database.transaction((manager) => createLogMonth(manager, log, new Date(moment)));
      await database.query(INSERT[log], [moment]);
    }
}

const left = async () =>
  Object.fromEntries(
    await Promise.all(
      LOGS.map(async (log) => {
        const rows = await database.query(`SELECT ${MONTHLY_LOGS[log]} AS at FROM ${log} ORDER BY id`);
        return [log, rows.map(({ at }: { at: Date }) => at.toISOString().slice(0, 10))];
      }),
    ),
  );

describe(LogRetention.name, () => {
  const moments = ['2020-01-31T23:00Z', '2020-02-01T00:00Z', '2020-02-29T12:00Z', '2020-03-01T00:00Z'];

  it('drops whole months of each log after its number of days', async () => {
    await write(...moments);
    await retention.run(new Date('2020-03-11T00:00Z'));
    const [one, two, three, four] = moments.map((moment) => moment.slice(0, 10));
    expect(await left()).toEqual({
      audit_entries: [two, three, four],
      user_traffic_resets: [four],
      admin_traffic_resets: [four],
    });
    expect(one).toBe('2020-01-31');
  });

  it('keeps a month until all of it is older than the number of days', async () => {
    await write(...moments);
    await retention.run(new Date('2020-03-10T23:59:59Z'));
    expect((await left())['user_traffic_resets']).toEqual(['2020-02-01', '2020-02-29', '2020-03-01']);
  });

  it('runs when the service starts, and creates the tables of coming months', async () => {
    await write(...moments);
    for (const log of LOGS)
      for (const table of (await tables(log)).slice(-2)) await database.query(`DROP TABLE ${log}_${table}`);
    retention.onApplicationBootstrap();
    await until(async (saw) => saw(await left())['admin_traffic_resets'].length === 0);
    await retention.beforeApplicationShutdown();
    for (const log of LOGS) expect(await tables(log)).toHaveLength(3);
  });

  it('does nothing while another replica works', async () => {
    await write(...moments);
    const before = await left();
    const other = database.createQueryRunner();
    await other.startTransaction();
    await other.query('SELECT pg_advisory_xact_lock($1)', [0x6c_6f_67_73]);
    await retention.run(new Date('2021-01-01T00:00Z'));
    expect(await left()).toEqual(before);
    await other.rollbackTransaction();
    await other.release();
  });
});

describe(createLogMonths.name, () => {
  it('creates this month and the next two once, when several replicas start together', async () => {
    for (const log of LOGS) for (const table of await tables(log)) await database.query(`DROP TABLE ${log}_${table}`);
    await Promise.all([1, 2, 3].map(() => database.transaction(createLogMonths)));
    for (const log of LOGS) expect(await tables(log)).toHaveLength(3);
    await database.transaction((manager) => recordAudit(manager, { action: 'x.y', target: 'z' }));
    expect(await database.manager.count(AuditEntry)).toBe(1);
  });

  it.each(['UPDATE $ SET actor = $$x$$', 'DELETE FROM $', 'TRUNCATE $'])(
    'security row 22: makes tables that refuse %s, as the log does',
    async (sql) => {
      const [month] = await tables('audit_entries');
      await expect(database.query(sql.replace('$', `audit_entries_${month}`))).rejects.toThrow(
        'the audit log is only ever added to',
      );
    },
  );
});

describe('deleting a user', () => {
  it("deletes the user's log of traffic resets", async () => {
    await database.query(`INSERT INTO users (id, username) VALUES (7, 'anna'), (8, 'berta')`);
    await write('2020-02-01T00:00Z');
    await database.query('DELETE FROM users WHERE id = 8');
    expect((await left())['user_traffic_resets']).toHaveLength(1);
    await database.query('DELETE FROM users WHERE id = 7');
    expect((await left())['user_traffic_resets']).toEqual([]);
  });
});
