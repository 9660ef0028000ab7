import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** A statement with a name: a connection reads and plans it once, and not each time. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/** The rows of a statement that is asked for all the time, past TypeORM, which has no names for statements. */
export async function queryPrepared<Row extends object>(
  { driver }: DataSource,
  { name, text }: PreparedStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  const pool: Pool = Reflect.get(driver, 'master');
  const { rows } = await pool.query<Row>({ name, text, values: [...values] });
  return rows;
}
