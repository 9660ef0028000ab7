import { testWorker } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../app/data-source.js';
import { OWNER } from '../database/embedded/roles.js';
import { type RoleUrls, WorkerServer } from './worker-server.js';

/** Creates a migrated database and connects to it. It is removed at the end of the spec file. */
export async function createMigratedDatabase(): Promise<DataSource> {
  const { url } = await createDatabase('migrated');
  const database = await createDataSource(url).initialize();
  testWorker().atFileEnd.push(async () => {
    if (database.isInitialized) await database.destroy();
  });
  return database;
}

/** Creates a database without tables and returns its URL. It is removed at the end of the spec file. */
export const createEmptyDatabase = async (): Promise<string> => (await createDatabase('empty')).url;

/** Creates a database, empty or with all tables. It is removed at the end of the spec file. */
export async function createDatabase(content: 'empty' | 'migrated'): Promise<RoleUrls> {
  return (await WorkerServer.get()).createDatabase(content);
}

/** Lets the owner's role suspend the triggers of its databases, which it may not do otherwise. */
export async function withoutTriggers<T>(work: () => Promise<T>): Promise<T> {
  const server = await WorkerServer.get();
  const parameter = 'ON PARAMETER session_replication_role';
  await server.asSuperuser(`GRANT SET ${parameter} TO ${OWNER}`);
  try {
    return await work();
  } finally {
    await server.asSuperuser(`REVOKE SET ${parameter} FROM ${OWNER}`);
  }
}
