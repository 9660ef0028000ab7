import type { EntityManager } from 'typeorm';

/** Of the replicas that see a day begin, one makes its table. */
const DAYS_LOCK = 0x64_61_79_73; // "days"

const DAYS = `FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
  WHERE inhparent = 'node_user_usages'::regclass`;

/** The rows of one day (UTC), which go with their table at once, however many they are. */
export interface UsagePartition {
  table: string;
  start: Date;
}

/** The hour that traffic is booked in now; there is a table for it. */
export async function currentUsageHour(manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<{ hour: Date }[]>(`SELECT date_trunc('hour', now(), 'UTC') AS hour`);
  if (!row) throw new Error('the database does not know the time');
  await createUsagePartition(manager, row.hour);
  return row.hour;
}

/** Attached, not made in its place: neither readers nor writers of the other days wait. */
export async function createUsagePartition(manager: EntityManager, moment: Date): Promise<void> {
  const { table, start } = dayOf(moment);
  if (await exists(manager, table)) return;
  await manager.query('SELECT pg_advisory_xact_lock($1)', [DAYS_LOCK]);
  if (await exists(manager, table)) return;
  await manager.query(`CREATE TABLE ${table} (LIKE node_user_usages)`);
  await manager.query(
    `ALTER TABLE node_user_usages ATTACH PARTITION ${table}
     FOR VALUES FROM ('${start.toISOString()}') TO ('${partitionEnd({ start }).toISOString()}')`,
  );
}

/** In order. */
export async function usagePartitions(manager: EntityManager): Promise<UsagePartition[]> {
  const rows = await manager.query<{ table: string }[]>(`SELECT relname AS table ${DAYS} ORDER BY relname`);
  return rows.map(({ table }) => ({ table, start: startOf(table) }));
}

export const partitionEnd = ({ start }: Pick<UsagePartition, 'start'>): Date => new Date(start.getTime() + 86_400_000);

function dayOf(moment: Date): UsagePartition {
  const day = moment.toISOString().slice(0, 10);
  return { table: `node_user_usages_${day.replaceAll('-', '')}`, start: new Date(day) };
}

const startOf = (table: string): Date => new Date(table.replace(/^.*_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));

/** Not by to_regclass, which may remember from before the lock that there was no such table. */
async function exists(manager: EntityManager, table: string): Promise<boolean> {
  const found = await manager.query<unknown[]>(`SELECT ${DAYS} AND relname = $1`, [table]);
  return found.length > 0;
}
