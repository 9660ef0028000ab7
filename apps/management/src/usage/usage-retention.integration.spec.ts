import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { readManagementEnv } from '../env/management-env.js';
import { createMigratedDatabase } from '../testing/migrated-database.js';
import { deleteAllUsage, insertUsageHours } from './testing/usage-fixture.js';
import { usagePartitions } from './testing/usage-partitions.js';
import { UsageRepository } from './usage.repository.js';
import { UsageRetention } from './usage-retention.js';

let database: DataSource;
let retention: UsageRetention;

beforeAll(async () => {
  database = await createMigratedDatabase();
});

beforeEach(async () => {
  retention = new UsageRetention(database, new UsageRepository(), readManagementEnv({ RAMPART_USAGE_DAYS: '2' }));
  await deleteAllUsage(database);
  await insertUsageHours(
    database,
    ['2025-12-24T12:00Z', '2026-01-01T23:00Z', '2026-01-02T00:00Z', '2026-01-03T05:00Z', '2026-01-03T06:00Z'].map(
      (hour, index) => ({ userId: 5, adminId: 1, nodeId: 1, hour, bytes: 10 ** index }),
    ),
  );
});

async function left() {
  const sum = async (table: string) =>
    (await database.query(`SELECT coalesce(sum(used_traffic), 0)::integer AS bytes FROM ${table}`))[0].bytes;
  return {
    days: (await usagePartitions(database.manager)).map(({ table }) => table.slice(-8)),
    users: await sum('node_user_usages'),
    admins: await sum('admin_usages'),
    nodes: await sum('node_usages'),
  };
}

describe(UsageRetention.name, () => {
  it('deletes sums by the hour and the history of users by whole days', async () => {
    await retention.run(new Date('2026-01-05T06:00:00Z'));
    expect(await left()).toEqual({ days: ['20260103'], users: 11_000, admins: 10_000, nodes: 10_000 });
  });

  it('deletes old history when the service starts', async () => {
    retention.onApplicationBootstrap();
    await until(async (saw) => saw(await left()).nodes === 0);
    await retention.beforeApplicationShutdown();
    expect(await left()).toEqual({ days: [], users: 0, admins: 0, nodes: 0 });
  });

  it('deletes nothing that is within the limit', async () => {
    await retention.run(new Date('2025-12-26T12:00:00Z'));
    const days = ['20251224', '20260101', '20260102', '20260103'];
    expect(await left()).toEqual({ days, users: 11_111, admins: 11_111, nodes: 11_111 });
  });

  it('does nothing while another replica deletes', async () => {
    const before = await left();
    const other = database.createQueryRunner();
    await other.startTransaction();
    await other.query('SELECT pg_advisory_xact_lock($1)', [0x68_6f_75_72]);
    await retention.run(new Date('2026-02-01T00:00:00Z'));
    expect(await left()).toEqual(before);
    await other.rollbackTransaction();
    await other.release();
    await retention.run(new Date('2026-02-01T00:00:00Z'));
    expect(await left()).toEqual({ days: [], users: 0, admins: 0, nodes: 0 });
  });
});
