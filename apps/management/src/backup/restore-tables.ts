import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { createLogMonth, createLogMonths, MONTHLY_LOGS, type MonthlyLog } from '../database/schema/log-months.js';
import { createUsagePartition } from '../usage/usage-partitions.js';
import { BackupError } from './backup-error.js';
import type { BackedUpPartition, BackedUpSequence, BackedUpTable, BackupHeader } from './backup-header.js';
import type { BackupReader } from './backup-reader.js';
import { TEXT_FORMAT } from './backup-snapshot.js';
import { appliedMigrations, findTables, quoted } from './table-catalogue.js';

/**
 * Replaces all tables by those of the backup, as its version had them. The runner is in a transaction.
 *
 * @param tell is told of tables that are not restored
 */
export async function restoreTables(
  database: DataSource,
  runner: QueryRunner,
  { header, reader, tell }: { header: BackupHeader; reader: BackupReader; tell: (line: string) => void },
): Promise<void> {
  await runner.query(TEXT_FORMAT);
  await remakeTables(database, runner, header.migrations);
  await createLogMonths(runner.manager);
  const made = new Map((await findTables(runner)).map(({ name, columns }) => [name, columns]));
  const own = header.tables.filter(({ name }) => made.has(name));
  for (const partition of header.partitions) if (made.has(partition.table)) await createPartition(runner, partition);
  // Triggers would count and index what the rows of other tables say already.
  for (const table of own) await setTriggers(runner, table, 'DISABLE');
  for (const { name } of own.toReversed()) await runner.query(`DELETE FROM ${quoted(name)}`);
  for (const table of header.tables) {
    if (own.includes(table)) await loadRows(runner, table, reader);
    else {
      for await (const _rows of reader.readRows(table));
      tell(
        `${table.name} is not restored: the version that made the backup has no such table, so it belongs to another program`,
      );
    }
  }
  for (const table of own) await setTriggers(runner, table, 'ENABLE');
  for (const sequence of header.sequences) await setSequence(runner, sequence);
}

/** Removes the tables of a first start, and runs the migrations that the backup names. */
async function remakeTables(database: DataSource, runner: QueryRunner, names: readonly string[]): Promise<void> {
  const executor = new MigrationExecutor(database, runner);
  for (const _name of (await executor.getExecutedMigrations()).keys()) await executor.undoLastMigration();
  for (const migration of await executor.getPendingMigrations())
    if (names.includes(migration.name)) await executor.executeMigration(migration);
  const applied = await appliedMigrations(runner);
  if (applied.join() !== names.join()) throw new BackupError(`The migrations made other tables: ${applied.join(', ')}`);
}

/** Creates the partition of a table that begins with a day. @throws BackupError for a table whose partitions it does not know */
export async function createPartition({ manager }: QueryRunner, { table, start }: BackedUpPartition): Promise<void> {
  const moment = new Date(`${start}T00:00:00Z`);
  if (Object.hasOwn(MONTHLY_LOGS, table)) await createLogMonth(manager, table as MonthlyLog, moment);
  else if (table === 'node_user_usages') await createUsagePartition(manager, moment);
  else throw new BackupError(`The backup has partitions of ${table}, and this version makes none`);
}

async function setTriggers(runner: QueryRunner, { name }: BackedUpTable, verb: 'ENABLE' | 'DISABLE'): Promise<void> {
  await runner.query(`ALTER TABLE ${quoted(name)} ${verb} TRIGGER USER`);
}

async function loadRows(runner: QueryRunner, table: BackedUpTable, reader: BackupReader): Promise<void> {
  const client = await runner.connect();
  const columns = table.columns.map(quoted).join(', ');
  const copy = client.query(copyFrom(`COPY ${quoted(table.name)} (${columns}) FROM STDIN`));
  await pipeline(Readable.from(reader.readRows(table), { objectMode: false }), copy);
}

/** A sequence of another program's table does not exist here. */
async function setSequence(runner: QueryRunner, { name, last }: BackedUpSequence): Promise<void> {
  if (last === null) await runner.query(`ALTER SEQUENCE IF EXISTS ${quoted(name)} RESTART`);
  else await runner.query('SELECT setval(to_regclass($1), $2)', [quoted(name), last]);
}
