import type { EntityManager } from 'typeorm';

/** Advisory lock of the replica that creates the partition of a new day. */
const PARTITIONS_LOCK = 0x64_61_79_73; // "days"

const PARTITIONS = `FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
  WHERE inhparent = 'node_user_usages'::regclass`;

/** The partition of `node_user_usages` for one day of UTC. Dropping it deletes all its rows at once. */
export interface UsagePartition {
  table: string;
  start: Date;
}

/** The present hour, in which traffic is recorded; its partition exists. */
export async function currentUsageHour(manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<{ hour: Date }[]>(`SELECT date_trunc('hour', now(), 'UTC') AS hour`);
  if (!row) throw new Error('the database returned no time');
  await createUsagePartition(manager, row.hour);
  return row.hour;
}

/**
 * Creates the partition of a moment's day where it does not exist. It is attached after its creation, so that neither
 * readers nor writers of other days wait.
 */
export async function createUsagePartition(manager: EntityManager, moment: Date): Promise<void> {
  const { table, start } = partitionOf(moment);
  if (await existsPartition(manager, table)) return;
  await manager.query('SELECT pg_advisory_xact_lock($1)', [PARTITIONS_LOCK]);
  if (await existsPartition(manager, table)) return;
  await manager.query(`CREATE TABLE ${table} (LIKE node_user_usages)`);
  await manager.query(
    `ALTER TABLE node_user_usages ATTACH PARTITION ${table}
     FOR VALUES FROM ('${start.toISOString()}') TO ('${partitionEnd({ start }).toISOString()}')`,
  );
}

/** All partitions, oldest first. */
export async function usagePartitions(manager: EntityManager): Promise<UsagePartition[]> {
  const rows = await manager.query<{ table: string }[]>(`SELECT relname AS table ${PARTITIONS} ORDER BY relname`);
  return rows.map(({ table }) => ({ table, start: startOf(table) }));
}

export const partitionEnd = ({ start }: Pick<UsagePartition, 'start'>): Date => new Date(start.getTime() + 86_400_000);

function partitionOf(moment: Date): UsagePartition {
  const day = moment.toISOString().slice(0, 10);
  return { table: `node_user_usages_${day.replaceAll('-', '')}`, start: new Date(day) };
}

const startOf = (table: string): Date => new Date(table.replace(/^.*_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));

/** to_regclass may answer from a cache that is older than the lock, so the catalogue is queried. */
async function existsPartition(manager: EntityManager, table: string): Promise<boolean> {
  const found = await manager.query<unknown[]>(`SELECT ${PARTITIONS} AND relname = $1`, [table]);
  return found.length > 0;
}
