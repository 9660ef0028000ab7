import type { QueryRunner } from 'typeorm';
import { BackupError } from './backup-error.js';
import type { BackedUpPartition, BackedUpSequence, BackedUpTable } from './backup-header.js';

/** The table in which the migrations are listed; restoring runs them instead. */
const MIGRATIONS = 'migrations';

type TableColumns = Pick<BackedUpTable, 'name' | 'columns'>;

/** A name in SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** All tables of the schema, without partitions and those of extensions, in the order of their names. */
export function findTables(runner: QueryRunner): Promise<TableColumns[]> {
  return runner.query(
    `SELECT relname AS name, ARRAY(
       SELECT attname::text FROM pg_attribute
       WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
     ) AS columns
     FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> $1
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
     ORDER BY relname COLLATE "C"`,
    [MIGRATIONS],
  );
}

/** The tables so that each comes after those that its foreign keys name. */
export async function inOrderOfReferences<T extends TableColumns>(
  runner: QueryRunner,
  tables: readonly T[],
): Promise<T[]> {
  const references: { child: string; parent: string }[] = await runner.query(
    `SELECT DISTINCT child.relname AS child, parent.relname AS parent
     FROM pg_constraint JOIN pg_class child ON child.oid = conrelid JOIN pg_class parent ON parent.oid = confrelid
     WHERE contype = 'f' AND child.relnamespace = current_schema()::regnamespace AND child.oid <> parent.oid
       AND NOT child.relispartition`,
  );
  const ordered: T[] = [];
  for (let open = [...tables]; open.length > 0; ) {
    const waits = ({ name }: T) =>
      references.some(({ child, parent }) => child === name && open.some((other) => other.name === parent));
    const ready = open.filter((table) => !waits(table));
    if (ready.length === 0)
      throw new BackupError(`Foreign keys form a circle: ${open.map(({ name }) => name).join(', ')}`);
    ordered.push(...ready);
    open = open.filter((table) => !ready.includes(table));
  }
  return ordered;
}

/** The partitions of all tables, oldest first, that begin with a day of UTC, as all of Rampart do. */
export async function findPartitions(runner: QueryRunner): Promise<BackedUpPartition[]> {
  await runner.query(`SET LOCAL TimeZone = 'UTC'`);
  const rows: { table: string; bound: string }[] = await runner.query(
    `SELECT parent.relname AS table, pg_get_expr(part.relpartbound, part.oid) AS bound
     FROM pg_inherits JOIN pg_class parent ON parent.oid = inhparent JOIN pg_class part ON part.oid = inhrelid
     WHERE parent.relkind = 'p' AND parent.relnamespace = current_schema()::regnamespace
     ORDER BY part.relname COLLATE "C"`,
  );
  return rows.flatMap(({ table, bound }) => {
    const [, start] = /^FOR VALUES FROM \('(\d{4}-\d\d-\d\d) 00:00:00\+00'\)/.exec(bound) ?? [];
    return start === undefined ? [] : [{ table, start }];
  });
}

/** The last number that each sequence has given. Numbers are given outside of transactions, so read them last. */
export function findSequences(runner: QueryRunner): Promise<BackedUpSequence[]> {
  return runner.query(
    `SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
     WHERE schemaname = current_schema() AND sequencename <> $1 ORDER BY sequencename COLLATE "C"`,
    [`${MIGRATIONS}_id_seq`],
  );
}

/** The migrations that have made the tables, oldest first. */
export async function appliedMigrations(runner: QueryRunner): Promise<string[]> {
  const rows: { name: string }[] = await runner.query(`SELECT name FROM ${MIGRATIONS} ORDER BY timestamp`);
  return rows.map(({ name }) => name);
}
