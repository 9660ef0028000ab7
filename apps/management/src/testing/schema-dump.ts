import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type DataSource, MigrationExecutor } from 'typeorm';
import { createDataSource } from '../app/data-source.js';
import { copyRows, openSnapshot, type SnapshotHeader } from '../backup/backup-snapshot.js';
import { createPartition } from '../backup/restore-tables.js';
import { quoted } from '../backup/table-catalogue.js';
import { createEmptyDatabase, withoutTriggers } from './migrated-database.js';

const END_OF_STATEMENT = '--';
const END_OF_ROWS = '\\.';

/** A database as SQL, which needs neither our migrations nor our backups to be loaded: psql can load it too. */
export async function dumpDatabase(database: DataSource): Promise<string> {
  const runner = database.createQueryRunner('slave');
  try {
    const header = await openSnapshot(runner);
    const parts = [...(await schemaStatements(header)), 'SET session_replication_role = replica'].map(
      (statement) => `${statement};\n${END_OF_STATEMENT}\n`,
    );
    const migrations = { name: 'migrations', columns: ['id', 'timestamp', 'name'] };
    for (const table of [...header.tables, migrations]) {
      const columns = table.columns.map(quoted).join(', ');
      const rows = await text(copyRows(runner, table));
      parts.push(`COPY ${quoted(table.name)} (${columns}) FROM stdin;\n${rows}${END_OF_ROWS}\n`);
    }
    for (const { name, last } of header.sequences)
      if (last !== null) parts.push(`SELECT setval('${name}', ${last});\n${END_OF_STATEMENT}\n`);
    return parts.join('');
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

/** What the migrations send to the database to make the tables, and the partitions of the header. */
async function schemaStatements({ partitions }: SnapshotHeader): Promise<string[]> {
  const database = await createDataSource(await createEmptyDatabase()).initialize();
  const runner = database.createQueryRunner('master');
  const statements: string[] = [];
  const query = runner.query.bind(runner);
  runner.query = (sql: string, parameters: string[] = [], ...more: unknown[]) => {
    if (/^\s*(CREATE|ALTER|DROP|DO|REVOKE|SELECT create_\w+)\b/.test(sql))
      statements.push(withLiterals(sql.trim(), parameters));
    return Reflect.apply(query, runner, [sql, parameters, ...more]);
  };
  try {
    await runner.startTransaction();
    await new MigrationExecutor(database, runner).executePendingMigrations();
    for (const partition of partitions) await createPartition(runner, partition);
    await runner.commitTransaction();
    return statements;
  } finally {
    await runner.release();
    await database.destroy();
  }
}

const withLiterals = (sql: string, parameters: readonly string[]): string =>
  sql.replace(/\$(\d)\b/g, (place, number: string) => {
    const value = parameters[Number(number) - 1];
    return value === undefined ? place : pg.escapeLiteral(value);
  });

/** Loads a dump into an empty database, as its owner. */
export async function loadDump(url: string, dump: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await withoutTriggers(() => loadInto(client, dump));
  } finally {
    await client.end();
  }
}

async function loadInto(client: pg.Client, dump: string): Promise<void> {
  let lines: string[] = [];
  let copy: string | undefined;
  for (const line of dump.split('\n')) {
    if (copy === undefined && /^COPY .* FROM stdin;$/.test(line)) copy = line;
    else if (line === (copy === undefined ? END_OF_STATEMENT : END_OF_ROWS)) {
      if (copy === undefined) await client.query(lines.join('\n'));
      else await pipeline(Readable.from(lines.map((row) => `${row}\n`)), client.query(copyFrom(copy)));
      [lines, copy] = [[], undefined];
    } else lines.push(line);
  }
}
