import { afterAll } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../app/data-source.js';
import { OWNER } from '../database/embedded/roles.js';
import { TestDatabase } from './test-database.js';

/** One server for the spec file that imports this module. Its own database is the template of the others. */
let server: Promise<TestDatabase> | undefined;
const opened: DataSource[] = [];
let created = 0;

afterAll(async () => {
  await Promise.all(opened.map((database) => database.isInitialized && database.destroy()));
  await (await server)?.close();
});

/** Creates a migrated database and connects to it. It is removed at the end of the spec file. */
export async function createMigratedDatabase(): Promise<DataSource> {
  const database = await createDataSource(await createDatabase('rampart')).initialize();
  opened.push(database);
  return database;
}

/** Creates a database without tables and returns its URL. It is removed at the end of the spec file. */
export const createEmptyDatabase = (): Promise<string> => createDatabase('template0');

async function createDatabase(template: 'rampart' | 'template0'): Promise<string> {
  server ??= TestDatabase.start('migrated');
  const { url, superuserUrl } = await server;
  created += 1;
  const name = `test_${created}`;
  const admin = await createDataSource(withName(superuserUrl, 'postgres')).initialize();
  await admin.query(`CREATE DATABASE ${name} OWNER ${OWNER} TEMPLATE ${template}`);
  // Dumps are loaded without triggers.
  await admin.query(`GRANT SET ON PARAMETER session_replication_role TO ${OWNER}`);
  await admin.destroy();
  return withName(url, name);
}

const withName = (url: string, name: string): string => url.replace('@/rampart?', `@/${name}?`);
