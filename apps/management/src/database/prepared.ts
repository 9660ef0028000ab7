import type { ClientBase, Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** A statement with a name: a connection reads and plans it once, and not each time. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/** Answers the rows of a statement. */
export type PreparedQuery = <Row extends object>(
  statement: PreparedStatement,
  values: readonly unknown[],
) => Promise<Row[]>;

/** For statements that are asked for all the time: past TypeORM, which has no names for statements. */
export const preparedQuery =
  (database: DataSource): PreparedQuery =>
  (statement, values) =>
    run(poolOf(database), statement, values);

/** The same on one connection: a statement is on its way at once, where the pool would wait for all that can be done before. */
export async function onConnection(database: DataSource, work: (query: PreparedQuery) => Promise<void>): Promise<void> {
  const client = await poolOf(database).connect();
  // The statement that is under way tells of it.
  const ignore = () => {};
  client.on('error', ignore);
  let failure: unknown;
  try {
    await work((statement, values) => run(client, statement, values));
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(failure !== undefined);
  }
}

async function run<Row extends object>(
  connection: Pick<ClientBase, 'query'>,
  { name, text }: PreparedStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await connection.query<Row>({ name, text, values: [...values] });
  return rows;
}

const poolOf = ({ driver }: DataSource): Pool => Reflect.get(driver, 'master');
