import type { EntityManager } from 'typeorm';

/**
 * Logs that are kept for a limited time. Each has one table per month (UTC), so that old entries are deleted by
 * dropping a table.
 */
export const MONTHLY_LOGS = {
  audit_entries: 'at',
  user_traffic_resets: 'reset_at',
  admin_traffic_resets: 'reset_at',
} as const;
export type MonthlyLog = keyof typeof MONTHLY_LOGS;

/** Only one replica at a time creates the tables of new months. */
const MONTHS_LOCK = 0x6d_6f_6e_74; // "mont"
/** Months to create beyond the current one, for wrong clocks and for replicas that did not run for a while. */
const MONTHS_AHEAD = 2;

const nameOf = (log: MonthlyLog, month: Date): string => `${log}_${month.toISOString().slice(0, 7).replace('-', '')}`;

const startOf = (table: string): Date => new Date(table.replace(/^.*_(\d{4})(\d\d)$/, '$1-$2'));

const monthsAfter = (month: Date, count: number): Date =>
  new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + count));

/** Creates the missing tables of the current month, by the clock of the database, and of the months after it. */
export async function createLogMonths(manager: EntityManager): Promise<void> {
  const [row] = await manager.query<{ now: Date }[]>('SELECT now() AS now');
  if (!row) throw new Error('the database returned no time');
  const months = Array.from({ length: 1 + MONTHS_AHEAD }, (_, count) => monthsAfter(row.now, count));
  for (const log of Object.keys(MONTHLY_LOGS) as MonthlyLog[])
    for (const month of months) await createLogMonth(manager, log, month);
}

/** The table is created and then attached, so that neither readers nor writers of other months have to wait. */
export async function createLogMonth(manager: EntityManager, log: MonthlyLog, moment: Date): Promise<void> {
  const table = nameOf(log, moment);
  if ((await tablesOf(manager, log)).includes(table)) return;
  await manager.query('SELECT pg_advisory_xact_lock($1)', [MONTHS_LOCK]);
  if ((await tablesOf(manager, log)).includes(table)) return;
  const [from, to] = [0, 1].map((count) => monthsAfter(moment, count).toISOString());
  await manager.query(`CREATE TABLE ${table} (LIKE ${log})`);
  // Triggers on the log do not fire for statements on the table of a month, so that table gets its own trigger.
  if (log === 'audit_entries')
    await manager.query(`CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
      EXECUTE FUNCTION refuse_audit_change()`);
  await manager.query(`ALTER TABLE ${log} ATTACH PARTITION ${table} FOR VALUES FROM ('${from}') TO ('${to}')`);
}

/** Drops the oldest month of a log that lies completely before the limit. Returns whether there was one. */
export async function dropLogMonth(manager: EntityManager, log: MonthlyLog, limit: Date): Promise<boolean> {
  const [oldest] = await tablesOf(manager, log);
  if (oldest === undefined || monthsAfter(startOf(oldest), 1) > limit) return false;
  // All reads and writes of the log wait behind this lock, so it gives up early and the next run tries again.
  await manager.query(`SET LOCAL lock_timeout = '2s'`);
  await manager.query(`DROP TABLE ${oldest}`);
  return true;
}

/** The tables of all months, oldest first. */
async function tablesOf(manager: EntityManager, log: MonthlyLog): Promise<string[]> {
  const rows = await manager.query<{ name: string }[]>(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE inhparent = $1::regclass ORDER BY relname`,
    [log],
  );
  return rows.map(({ name }) => name);
}
