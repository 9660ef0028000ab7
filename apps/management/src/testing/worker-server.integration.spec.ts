import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { testWorker } from '@rampart/testing';
import pg from 'pg';
import { createDatabase, createEmptyDatabase, createMigratedDatabase } from './migrated-database.js';
import { TestManagement } from './test-management.js';
import { removeLeftovers, WorkerServer } from './worker-server.js';

/** What the environment does at the end of a spec file. */
async function endFile(): Promise<void> {
  for (const end of testWorker().atFileEnd.splice(0).reverse()) await end();
}

const databases = async (): Promise<string[]> => {
  const { superuserUrl } = await createDatabase('empty');
  const client = new pg.Client(superuserUrl);
  await client.connect();
  const { rows } = await client.query<{ name: string }>('SELECT datname AS name FROM pg_database');
  await client.end();
  return rows.map(({ name }) => name);
};

describe(WorkerServer.name, () => {
  it('gives each service a database of its own in one server, which is removed at the end of the spec file', async () => {
    const [one, other] = [await TestManagement.start(), await TestManagement.start()];
    const nameOf = async ({ database }: Pick<TestManagement, 'database'>): Promise<string> => {
      const [row] = await database.query<{ name: string }[]>('SELECT current_database() AS name');
      return row?.name ?? '';
    };
    const names = [await nameOf(one), await nameOf(other)];
    expect(new Set(names).size).toBe(2);
    await one.call('POST', '/api/user', { username: 'anna' });
    expect((await other.call('GET', '/api/user/anna')).status).toBe(404);
    expect(await databases()).toEqual(expect.arrayContaining(names));
    await one.close();
    await other.close();
    await endFile();
    expect((await databases()).filter((name) => names.includes(name))).toEqual([]);
  });

  it('fails a spec file that has left a connection open, and removes its databases all the same', async () => {
    const client = new pg.Client({ connectionString: await createEmptyDatabase(), application_name: 'forgotten' });
    const ended = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    const migrated = await createMigratedDatabase();
    await expect(endFile()).rejects.toThrow('The spec file has left connections open: forgotten');
    await ended;
    expect(migrated.isInitialized).toBe(false);
  });
});

describe('the server of a worker that was killed', () => {
  let parent: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'rampart-leftovers-'));
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  it('is removed by the next worker, and that of a running one stays', async () => {
    const child = spawn(process.execPath, ['--eval', '0']);
    await once(child, 'exit');
    const [dead, running] = [child.pid, process.pid].map((pid) => join(parent, `rampart-worker-${pid}-abc`));
    for (const folder of [dead, running]) await mkdir(join(folder as string, 'cluster'), { recursive: true });
    await removeLeftovers(parent);
    expect([dead, running].map((folder) => existsSync(folder as string))).toEqual([false, true]);
  });
});
