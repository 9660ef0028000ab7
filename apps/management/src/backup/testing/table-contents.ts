import type { DataSource } from 'typeorm';

/** The rows of every table and partition as sorted texts, and what else the database keeps. */
export interface Contents {
  readonly rows: Readonly<Record<string, readonly string[]>>;
  readonly sequences: Readonly<Record<string, string | null>>;
  /** Tables, partitions, columns, indexes, constraints, triggers and functions. */
  readonly schema: readonly string[];
}

/** Reads everything in the database, by the catalogue. */
export async function readContents(database: DataSource): Promise<Contents> {
  const rows: Record<string, readonly string[]> = {};
  for (const table of await tables(database)) {
    const found: { row: string }[] = await database.query(`SELECT t::text AS row FROM "${table}" t ORDER BY 1`);
    rows[table] = found.map(({ row }) => row);
  }
  const sequences: { name: string; last: string | null }[] = await database.query(
    `SELECT sequencename AS name, last_value::text AS last FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1`,
  );
  return {
    rows,
    sequences: Object.fromEntries(sequences.map(({ name, last }) => [name, last])),
    schema: await readSchema(database),
  };
}

async function tables(database: DataSource): Promise<string[]> {
  const rows: { name: string }[] = await database.query(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name COLLATE "C"`,
  );
  return rows.map(({ name }) => name);
}

/** The form of the database, as sorted lines. The order of columns of a table is part of it. */
export async function readSchema(database: DataSource): Promise<string[]> {
  const rows: { line: string }[] = await database.query(`
    SELECT format('column %s.%s %s %s default %s not null %s identity %s generated %s', relname, attname, attnum,
      format_type(atttypid, atttypmod), pg_get_expr(adbin, adrelid), attnotnull, attidentity, attgenerated) AS line
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT format('table %s %s %s %s', relname, relkind, reloptions, pg_get_expr(relpartbound, oid)) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT format('%s %s: %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT format('%s enabled %s', pg_get_triggerdef(oid), tgenabled) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT pg_get_functiondef(pg_proc.oid) FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
    ORDER BY 1`);
  return rows.map(({ line }) => line);
}
