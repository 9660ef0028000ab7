import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { Admin } from '../admins/store/admin.entity.js';
import { NodeFixture } from '../nodes/testing/node-fixture.js';
import { createMigratedDatabase } from '../testing/migrated-database.js';
import { User } from '../user-store/entities/user.entity.js';
import { usagePartitions } from './testing/usage-partitions.js';
import { type NodeTraffic, TrafficRepository } from './traffic.repository.js';

const MAX_BYTES = Number.MAX_SAFE_INTEGER;

let database: DataSource;
let fixture: NodeFixture;
const traffic = new TrafficRepository();
let ids: number[];

beforeEach(async () => {
  database = await createMigratedDatabase();
  fixture = new NodeFixture(database);
  ids = (await fixture.createUsers(['alice', 'bob', 'carol'], await fixture.createGroup())).map(({ id }) => id);
});

const recordBatch = (users: Record<number, bigint>, values: Partial<NodeTraffic> = {}) =>
  database.transaction((manager) =>
    traffic.recordTraffic(manager, {
      nodeId: 1,
      coefficient: 1,
      sealedAt: undefined,
      bytesByUser: new Map(Object.entries(users).map(([id, bytes]) => [Number(id), bytes])),
      uplink: 0n,
      downlink: 0n,
      ...values,
    }),
  );

async function admin(username: string, users: readonly number[]): Promise<number> {
  const { id } = await database.manager.save(database.manager.create(Admin, { username, passwordHash: 'none' }));
  for (const user of users) await database.manager.update(User, { id: user }, { adminId: id });
  return id;
}

/** The rows of a table without their hour, which is the present one in all rows. */
async function rows(table: string): Promise<object[]> {
  const found: { hour: Date }[] = await database.query(`SELECT * FROM ${table} ORDER BY 1, 2, 3`);
  const [now] = await database.query(`SELECT date_trunc('hour', now(), 'UTC') AS hour`);
  return found.map(({ hour, ...row }) => {
    expect([now.hour.getTime(), now.hour.getTime() - 3_600_000]).toContain(hour.getTime());
    return row;
  });
}

describe('TrafficRepository.recordTraffic', () => {
  it('stores the traffic of each user through each node', async () => {
    const [alice, bob] = ids as [number, number];
    await recordBatch({ [alice]: 10n, [bob]: 7n });
    await recordBatch({ [alice]: 5n });
    await recordBatch({ [alice]: 100n }, { nodeId: 2 });
    expect(await rows('node_user_usages')).toEqual([
      { user_id: alice, node_id: 1, used_traffic: '15' },
      { user_id: alice, node_id: 2, used_traffic: '100' },
      { user_id: bob, node_id: 1, used_traffic: '7' },
    ]);
  });

  it('multiplies the traffic of users by the coefficient and rounds it, and counts nodes raw', async () => {
    const [alice, bob, carol] = ids as [number, number, number];
    const owner = await admin('owner', [alice, bob]);
    await recordBatch({ [alice]: 25n, [bob]: 26n, [carol]: 1n }, { coefficient: 0.1, uplink: 20n, downlink: 32n });
    await recordBatch({ [carol]: 15n }, { coefficient: 0.1, uplink: 5n, downlink: 10n });
    expect(await rows('node_user_usages')).toEqual([
      { user_id: alice, node_id: 1, used_traffic: '3' },
      { user_id: bob, node_id: 1, used_traffic: '3' },
      { user_id: carol, node_id: 1, used_traffic: '2' },
    ]);
    expect(await rows('admin_usages')).toEqual([{ admin_id: owner, node_id: 1, used_traffic: '6' }]);
    expect(await rows('node_usages')).toEqual([{ node_id: 1, uplink: '25', downlink: '42', used_traffic: '8' }]);
  });

  it("adds to the admins' own counters, also after users got another admin", async () => {
    const [alice, bob, carol] = ids as [number, number, number];
    const first = await admin('first', [alice, bob, carol]);
    await recordBatch({ [alice]: 1n, [bob]: 2n });
    const second = await admin('second', [bob]);
    await recordBatch({ [alice]: 10n, [bob]: 20n }, { coefficient: 2 });
    const counters = await database.manager.find(Admin, { order: { id: 'ASC' } });
    expect(counters.map(({ id, usedTraffic }) => [id, usedTraffic])).toEqual([
      [first, 23],
      [second, 40],
    ]);
    expect(await rows('admin_usages')).toEqual([
      { admin_id: first, node_id: 1, used_traffic: '23' },
      { admin_id: second, node_id: 1, used_traffic: '40' },
    ]);
  });

  it('records nothing for deleted users', async () => {
    const [alice, bob] = ids as [number, number];
    await database.manager.delete(User, { id: bob });
    await recordBatch({ [alice]: 1n, [bob]: 2n, 999999: 4n }, { uplink: 3n, downlink: 4n });
    expect(await rows('node_user_usages')).toEqual([{ user_id: alice, node_id: 1, used_traffic: '1' }]);
    expect(await rows('node_usages')).toEqual([{ node_id: 1, uplink: '3', downlink: '4', used_traffic: '1' }]);
  });

  it('limits all sums to the largest exact number, whatever a node reports', async () => {
    const [alice, bob] = ids as [number, number];
    const owner = await admin('owner', [alice, bob]);
    const huge = 2n ** 64n - 1n;
    for (let times = 0; times < 2; times += 1) {
      await recordBatch({ [alice]: huge, [bob]: huge }, { coefficient: 1_000, uplink: huge * 9n, downlink: huge * 9n });
    }
    const most = `${MAX_BYTES}`;
    expect(await rows('node_user_usages')).toEqual([
      { user_id: alice, node_id: 1, used_traffic: most },
      { user_id: bob, node_id: 1, used_traffic: most },
    ]);
    expect(await rows('admin_usages')).toEqual([{ admin_id: owner, node_id: 1, used_traffic: most }]);
    expect(await rows('node_usages')).toEqual([{ node_id: 1, uplink: most, downlink: most, used_traffic: most }]);
    const { usedTraffic } = await database.manager.findOneByOrFail(Admin, { id: owner });
    expect(usedTraffic).toBe(MAX_BYTES);
  });

  it('stores the latest moment at which a user was online', async () => {
    const [alice] = ids as [number];
    const online = async () => (await database.manager.findOneByOrFail(User, { id: alice })).onlineAt;
    await recordBatch({ [alice]: 1n }, { sealedAt: 1_700_000_000n });
    expect(await online()).toEqual(new Date(1_700_000_000_000));
    await recordBatch({ [alice]: 1n }, { sealedAt: 1_600_000_000n });
    expect(await online()).toEqual(new Date(1_700_000_000_000));
    await recordBatch({ [alice]: 1n }, { sealedAt: 1_700_000_005n });
    expect(await online()).toEqual(new Date(1_700_000_005_000));
    // A clock that is ahead must not show a user as online for years.
    await database.manager.update(User, { id: alice }, { onlineAt: new Date('2099-01-01') });
    await recordBatch({ [alice]: 1n }, { sealedAt: 1_700_000_005n });
    expect((await online())?.getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('creates one partition when several nodes report in the first moment of a day', async () => {
    const [alice, bob] = ids as [number, number];
    const nodes = Array.from({ length: 8 }, (_, index) => index + 1);
    await Promise.all(nodes.map((nodeId) => recordBatch({ [alice]: 1n, [bob]: 2n }, { nodeId })));
    expect((await usagePartitions(database.manager)).length).toBe(1);
    expect(await rows('node_user_usages')).toEqual(
      [alice, bob].flatMap((user_id, index) =>
        nodes.map((node_id) => ({ user_id, node_id, used_traffic: `${index + 1}` })),
      ),
    );
  });

  it('records nothing when the transaction is rolled back', async () => {
    const [alice] = ids as [number];
    const refused = database.transaction(async (manager) => {
      await traffic.recordTraffic(manager, {
        nodeId: 1,
        coefficient: 1,
        sealedAt: undefined,
        bytesByUser: new Map([[alice, 5n]]),
        uplink: 5n,
        downlink: 5n,
      });
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    for (const table of ['node_user_usages', 'admin_usages', 'node_usages']) expect(await rows(table)).toEqual([]);
    expect(await usagePartitions(database.manager)).toEqual([]);
  });
});
