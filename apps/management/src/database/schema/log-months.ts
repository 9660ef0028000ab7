import type { EntityManager } from 'typeorm';

/**
 * Logs that are kept for a limited time. Each has one table per month (UTC), so that old entries are deleted by
 * dropping a table. The functions for it are in partitions.ts.
 */
export const MONTHLY_LOGS = {
  audit_entries: 'at',
  user_traffic_resets: 'reset_at',
  admin_traffic_resets: 'reset_at',
} as const;
export type MonthlyLog = keyof typeof MONTHLY_LOGS;

/** Months to create beyond the current one, for wrong clocks and for replicas that did not run for a while. */
const MONTHS_AHEAD = 2;

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

/** Creates the table of a moment's month where it does not exist. */
export async function createLogMonth(manager: EntityManager, log: MonthlyLog, moment: Date): Promise<void> {
  await manager.query('SELECT create_log_month($1, $2)', [log, moment.toISOString().slice(0, 10)]);
}

/**
 * Drops the oldest month of a log that lies completely before the limit. Of the log of changes the database itself keeps
 * the last months, whatever the limit. Returns whether there was one.
 */
export async function dropLogMonth(manager: EntityManager, log: MonthlyLog, limit: Date): Promise<boolean> {
  const [row] = await manager.query<{ dropped: boolean }[]>('SELECT drop_log_month($1, $2) AS dropped', [log, limit]);
  return row?.dropped ?? false;
}
