import { createHash, type KeyObject } from 'node:crypto';
import { to as copyTo } from 'pg-copy-streams';
import type { QueryRunner } from 'typeorm';
import { MIGRATION_LOCK } from '../database/migrate.js';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { BackupError } from './backup-error.js';
import type { BackedUpTable, BackupHeader } from './backup-header.js';
import { countLines, END_OF_TABLE, FIRST_LINE, lastLine, SIGNATURE } from './backup-reader.js';
import { signDigest } from './backup-signature.js';
import {
  appliedMigrations,
  findPartitions,
  findSequences,
  findTables,
  inOrderOfReferences,
  quoted,
} from './table-catalogue.js';

/** The text format of COPY depends on these settings of the session; restoring uses the same ones. */
export const TEXT_FORMAT = [
  `SET LOCAL client_encoding = 'UTF8'`,
  `SET LOCAL DateStyle = 'ISO, YMD'`,
  `SET LOCAL IntervalStyle = 'postgres'`,
  `SET LOCAL TimeZone = 'UTC'`,
  `SET LOCAL bytea_output = 'hex'`,
  'SET LOCAL extra_float_digits = 1',
].join('; ');

/** What a snapshot says of itself; the keys are not in the database. */
export type SnapshotHeader = Omit<BackupHeader, 'keys' | 'signer'>;

/**
 * Begins a transaction that sees the whole database as it is at one moment, while others go on changing it. Until it ends,
 * nobody can change the form of the tables or drop one.
 */
export async function openSnapshot(runner: QueryRunner): Promise<SnapshotHeader> {
  // While migrations run, the tables change their form; later ones wait for the table locks.
  await runner.query('SELECT pg_advisory_lock_shared($1)', [MIGRATION_LOCK]);
  try {
    const names = (await findTables(runner)).map(({ name }) => quoted(name));
    await runner.startTransaction('REPEATABLE READ');
    // A slow reader of the backup must not end the transaction.
    await runner.query(`${TEXT_FORMAT}; SET LOCAL idle_in_transaction_session_timeout = 0`);
    // The view of the database begins with the first query after this lock, so no partition can vanish in between.
    await runner.query(`LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`);
    return await describe(runner);
  } finally {
    await runner.query('SELECT pg_advisory_unlock_shared($1)', [MIGRATION_LOCK]);
  }
}

async function describe(runner: QueryRunner): Promise<SnapshotHeader> {
  const tables: BackedUpTable[] = [];
  for (const table of await inOrderOfReferences(runner, await findTables(runner)))
    tables.push({ ...table, rows: await countRows(runner, table.name) });
  const [now]: { at: Date }[] = await runner.query('SELECT now() AS at');
  return {
    program: MANAGEMENT_VERSION,
    createdAt: (now?.at ?? new Date()).toISOString(),
    migrations: await appliedMigrations(runner),
    tables,
    partitions: await findPartitions(runner),
    sequences: await findSequences(runner),
  };
}

async function countRows(runner: QueryRunner, table: string): Promise<number> {
  const [row]: { rows: string }[] = await runner.query(`SELECT count(*) AS rows FROM ${quoted(table)}`);
  return Number(row?.rows);
}

/** The rows of a table in the text format of COPY, in chunks that end anywhere. */
export async function* copyRows(
  runner: QueryRunner,
  { name, columns }: Pick<BackedUpTable, 'name' | 'columns'>,
): AsyncGenerator<Buffer, void> {
  const client = await runner.connect();
  // A partitioned table can only be copied by a query.
  yield* client.query(copyTo(`COPY (SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(name)}) TO STDOUT`));
}

/**
 * The whole text of a backup, with its signature. A reader that is slow slows down the database's side.
 *
 * @param report is called with the number of rows that were read so far
 */
export async function* backupText(
  runner: QueryRunner,
  header: BackupHeader,
  key: KeyObject,
  report: (rows: number) => void,
): AsyncGenerator<Buffer, void> {
  const hash = createHash('sha256');
  for await (const part of content(runner, header, report)) {
    hash.update(part);
    yield part;
  }
  yield Buffer.from(`${SIGNATURE}${signDigest(hash.digest(), key)}\n`);
}

async function* content(
  runner: QueryRunner,
  header: BackupHeader,
  report: (rows: number) => void,
): AsyncGenerator<Buffer, void> {
  yield Buffer.from(`${FIRST_LINE}\n${JSON.stringify(header)}\n`);
  let rows = 0;
  for (const table of header.tables) {
    const before = rows;
    for await (const chunk of copyRows(runner, table)) {
      rows += countLines(chunk);
      report(rows);
      yield chunk;
    }
    if (rows - before !== table.rows)
      throw new BackupError(`${table.name} gave ${rows - before} rows instead of ${table.rows}`);
    yield Buffer.from(`${END_OF_TABLE}\n`);
  }
  yield Buffer.from(`${lastLine(header)}\n`);
}
