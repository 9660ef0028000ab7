import type { ClientBase } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { ChangeQueryRunner } from './change-query-runner.js';
import { asDatabase } from './database.js';

/** A named statement, which each connection parses and plans only once. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/** Runs a statement and returns its rows. */
export type PreparedQuery = <Row extends object>(
  statement: PreparedStatement,
  values: readonly unknown[],
) => Promise<Row[]>;

/** Runs prepared statements on connections for reading. It bypasses TypeORM, which does not support named statements. */
export const preparedQuery = (source: DataSource): PreparedQuery => {
  const { reads, settings } = asDatabase(source);
  return (statement, values) => run(reads, settings.isPooled, statement, values);
};

/** Runs prepared statements in the transaction of the manager; without one, on connections for reading. */
export const preparedIn = (manager: EntityManager): PreparedQuery => inTransaction(manager, 'started');

/**
 * Like `preparedIn`, but the statements are sent together with the one that starts the transaction. Only for statements
 * that do no harm outside of a transaction, should it fail to start: reads, locks and the next revision.
 */
export const preparedAtStart = (manager: EntityManager): PreparedQuery => inTransaction(manager, 'starting');

const inTransaction = (manager: EntityManager, state: 'starting' | 'started'): PreparedQuery => {
  const { queryRunner } = manager;
  if (!queryRunner) return preparedQuery(manager.connection);
  const { isPooled } = asDatabase(manager.connection).settings;
  return async (statement, values) => {
    if (state === 'started' && queryRunner instanceof ChangeQueryRunner) await queryRunner.hasStarted;
    return run(await queryRunner.connect(), isPooled, statement, values);
  };
};

/**
 * Runs a statement whose result nobody needs together with the COMMIT of the transaction, which it fails with its own
 * error; without a transaction, at once. Nothing in the transaction sees its effect.
 */
export async function runWithCommit(
  manager: EntityManager,
  statement: PreparedStatement,
  values: readonly unknown[],
): Promise<void> {
  const { queryRunner } = manager;
  if (!(queryRunner instanceof ChangeQueryRunner && queryRunner.isTransactionActive)) {
    await preparedIn(manager)(statement, values);
    return;
  }
  const { isPooled } = asDatabase(manager.connection).settings;
  queryRunner.sendLast((connection) => run(connection, isPooled, statement, values));
}

/**
 * Calls `work` with one connection of the pool for subscriptions. On a single connection statements are sent at once,
 * whereas the pool defers each of them behind other work of the event loop.
 */
export async function withPreparedConnection(
  source: DataSource,
  work: (query: PreparedQuery) => Promise<void>,
): Promise<void> {
  const { subscriptions, settings } = asDatabase(source);
  const client = await subscriptions.connect();
  // The running statement reports the error of its connection.
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

/** Through a pooler the next statement may run in another session, which does not know the name. */
async function run<Row extends object>(
  connection: Pick<ClientBase, 'query'>,
  isPooled: boolean,
  { name, text }: PreparedStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await connection.query<Row>({ ...(!isPooled && { name }), text, values: [...values] });
  return rows;
}
