import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = join(dirname(fileURLToPath(import.meta.url)), '../../../apps/management/dist');

interface Queries {
  query<Rows>(sql: string, parameters?: unknown[]): Promise<Rows>;
}

interface Database extends Queries {
  transaction<Result>(work: (manager: Queries) => Promise<Result>): Promise<Result>;
}

/** Makes everything in a database of management as much older, as if it had been written then. */
export async function moveBack(database: Database, days: number): Promise<void> {
  const { createLogMonth, MONTHLY_LOGS } = await import(join(DIST, 'database/schema/log-months.js'));
  const { createUsagePartition } = await import(join(DIST, 'usage/usage-partitions.js'));
  const past = new Date(Date.now() - days * 86_400_000);
  const columns: { table: string; column: string }[] = await database.query(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'timestamp with time zone'
       AND table_name IN (SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition)`,
  );
  await database.transaction(async (manager) => {
    await manager.query(`SET LOCAL session_replication_role = 'replica'`);
    for (const log of Object.keys(MONTHLY_LOGS)) await createLogMonth(manager, log, past);
    await createUsagePartition(manager, past);
    for (const { table, column } of columns)
      await manager.query(`UPDATE "${table}" SET "${column}" = "${column}" - make_interval(days => $1)`, [days]);
    const today: { name: string }[] = await manager.query(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'node_user_usages'::regclass
         AND inhrelid::regclass::text > $1`,
      [`node_user_usages_${past.toISOString().slice(0, 10).replaceAll('-', '')}`],
    );
    for (const { name } of today) await manager.query(`DROP TABLE ${name}`);
  });
}
