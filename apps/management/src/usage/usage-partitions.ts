import type { EntityManager } from 'typeorm';

/** The present hour, in which traffic is recorded; its partition exists. */
export async function currentUsageHour(manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<{ hour: Date }[]>(`SELECT date_trunc('hour', now(), 'UTC') AS hour`);
  if (!row) throw new Error('the database returned no time');
  await createUsagePartition(manager, row.hour);
  return row.hour;
}

/**
 * Creates the partition of a moment's day (UTC) where it does not exist. It is attached after its creation, so that neither
 * readers nor writers of other days wait.
 */
export async function createUsagePartition(manager: EntityManager, moment: Date): Promise<void> {
  await manager.query('SELECT create_usage_day($1)', [moment.toISOString().slice(0, 10)]);
}
