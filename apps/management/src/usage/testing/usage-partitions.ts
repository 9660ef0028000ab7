import type { EntityManager } from 'typeorm';

/** The partition of `node_user_usages` for one day of UTC. */
export interface UsagePartition {
  table: string;
  start: Date;
}

/** All partitions, oldest first. */
export async function usagePartitions(manager: EntityManager): Promise<UsagePartition[]> {
  const rows = await manager.query<{ table: string }[]>(
    `SELECT relname AS table FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE inhparent = 'node_user_usages'::regclass ORDER BY relname`,
  );
  return rows.map(({ table }) => ({
    table,
    start: new Date(table.replace(/^.*_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')),
  }));
}
