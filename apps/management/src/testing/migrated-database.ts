import { afterAll } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../app/data-source.js';
import { TestDatabase } from './test-database.js';

/** One server for the spec file that imports this module. Its own database is the template of the others. */
let server: Promise<TestDatabase> | undefined;
const opened: DataSource[] = [];

afterAll(async () => {
  await Promise.all(opened.map((database) => database.destroy()));
  await (await server)?.close();
});

/** Creates a migrated database and connects to it. It is removed at the end of the spec file. */
export async function createMigratedDatabase(): Promise<DataSource> {
  server ??= TestDatabase.start('migrated');
  const template = (await server).url;
  const name = `test_${opened.length}`;
  const admin = await createDataSource(withName(template, 'postgres')).initialize();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE rampart`);
  await admin.destroy();
  const database = await createDataSource(withName(template, name)).initialize();
  opened.push(database);
  return database;
}

const withName = (url: string, name: string): string => url.replace('@/rampart?', `@/${name}?`);
