import type { ClientBase } from 'pg';
import type { DataSource } from 'typeorm';
import { asDatabase } from './database.js';

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
export const preparedQuery = (source: DataSource): PreparedQuery => {
  const { reads, settings } = asDatabase(source);
  return (statement, values) => run(reads, settings.isPooled, statement, values);
};

/**
 * The same on one of the connections that are kept for what every request asks. On one connection, because a statement is on
 * its way at once then, where the pool would wait for all that can be done before.
 */
export async function withPreparedConnection(
  source: DataSource,
  work: (query: PreparedQuery) => Promise<void>,
): Promise<void> {
  const { subscriptions, settings } = asDatabase(source);
  const client = await subscriptions.connect();
  // The statement that is under way tells of it.
  const ignore = () => {};
  client.on('error', ignore);
  let failure: unknown;
  try {
    await work((statement, values) => run(client, settings.isPooled, statement, values));
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(failure !== undefined);
  }
}

/** Behind a pooler the next statement may go to another session, which knows no name of this one. */
async function run<Row extends object>(
  connection: Pick<ClientBase, 'query'>,
  isPooled: boolean,
  { name, text }: PreparedStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await connection.query<Row>({ ...(!isPooled && { name }), text, values: [...values] });
  return rows;
}
