import type { ClientBase } from 'pg';
import type { DataSource, ReplicationMode } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';

type Send = (connection: ClientBase) => Promise<unknown>;

type Result = ReturnType<PostgresQueryRunner['query']>;

/**
 * Runs transactions with fewer round trips: statements that allow it are sent together with START TRANSACTION, and those
 * whose results nobody needs are sent together with COMMIT. Its connections have the option `pipeline`.
 */
export class ChangeQueryRunner extends PostgresQueryRunner {
  /** Rejects when the transaction could not be started. */
  private started: Promise<unknown> = Promise.resolve();
  private readonly last: Send[] = [];

  constructor(source: DataSource, mode: ReplicationMode) {
    super(source.driver as PostgresDriver, mode);
  }

  /** Resolves when the database has started the transaction. */
  get hasStarted(): Promise<unknown> {
    return this.started;
  }

  override async query(sql: string, parameters?: unknown[], isStructured?: boolean): Result {
    if (sql === 'START TRANSACTION') {
      this.started = this.connect().then((connection: ClientBase) => connection.query(sql));
      this.started.catch(() => undefined);
      await this.connect();
      return undefined;
    }
    await this.started;
    const send = (): Result => super.query(sql, parameters, isStructured);
    if (sql !== 'COMMIT') return send();
    const connection: ClientBase = await this.connect();
    const last = this.last.splice(0).map((statement) => statement(connection));
    // A statement that fails turns the COMMIT behind it into a ROLLBACK.
    const [, result] = await Promise.all([Promise.all(last), send()]);
    return result;
  }

  /** Sends a statement together with COMMIT, whose error is then the error of the transaction. */
  sendLast(statement: Send): void {
    this.last.push(statement);
  }
}
