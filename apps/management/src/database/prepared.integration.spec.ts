import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createMigratedDatabase } from '../testing/migrated-database.js';
import { type PreparedQuery, withPreparedConnection } from './prepared.js';

const PID = { name: 'pid', text: 'SELECT pg_backend_pid() AS pid' };

let database: DataSource;
beforeAll(async () => {
  database = await createMigratedDatabase();
});

const pidOf = async (query: PreparedQuery): Promise<number> => {
  const [row] = await query<{ pid: number }>(PID, []);
  return row?.pid ?? 0;
};

describe(withPreparedConnection.name, () => {
  it('runs all queries on one connection, and returns it to the pool', async () => {
    const pids: number[] = [];
    for (const _ of [1, 2]) {
      await withPreparedConnection(database, async (query) => {
        pids.push(await pidOf(query), await pidOf(query));
      });
    }
    expect(new Set(pids).size).toBe(1);
  });

  it('survives a lost connection, and does not use it again', async () => {
    let lost = 0;
    const asking = withPreparedConnection(database, async (query) => {
      lost = await pidOf(query);
      await database.query('SELECT pg_terminate_backend($1)', [lost]);
      await pidOf(query);
    });
    await expect(asking).rejects.toThrow();
    await withPreparedConnection(database, async (query) => {
      expect(await pidOf(query)).not.toBe(lost);
    });
  });
});
