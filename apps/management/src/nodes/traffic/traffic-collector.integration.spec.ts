import { beforeEach, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import { User } from '../../user-store/entities/user.entity.js';
import { Node } from '../store/node.entity.js';
import { NodeTotalsRepository } from '../store/node-totals.repository.js';
import { NodeDouble } from '../testing/node-double.js';
import { NodeFixture, trafficStores } from '../testing/node-fixture.js';
import { TrafficCollector } from './traffic-collector.js';

const emailOf = ({ id, username }: User): string => nodeEmail(id, username);

describe(TrafficCollector.name, () => {
  let fixture: NodeFixture;
  let alice: User;
  let bob: User;
  let node: NodeDouble;

  beforeEach(async () => {
    fixture = new NodeFixture(await createMigratedDatabase());
    const group = await fixture.createGroup();
    [alice, bob] = (await fixture.createUsers(['alice', 'bob'], group)) as [User, User];
    node = new NodeDouble();
  });

  const collector = (id: number) => new TrafficCollector(trafficStores(fixture.database), id);

  it('adds both directions exactly, and acknowledges the stored batch', async () => {
    const { id } = await fixture.createNode();
    node.traffic(emailOf(alice), 1_000_001n, 2_000_002n);
    node.traffic(emailOf(bob), 0n, 7n);
    const traffic = collector(id);
    await traffic.collectTraffic(node, {});
    node.traffic(emailOf(alice), 1n, 0n);
    await traffic.collectTraffic(node, {});

    expect(await fixture.usedTraffic(alice)).toBe(3_000_004);
    expect(await fixture.usedTraffic(bob)).toBe(7);
    expect(await fixture.readNode(id)).toMatchObject({
      uplink: 1_000_002,
      downlink: 2_000_009,
      trafficLedger: 'ledger-1',
      trafficNumber: 2n,
    });
    expect(node.acknowledged).toEqual([
      ['', 0n],
      ['ledger-1', 1n],
    ]);
  });

  it('stores one batch of a node that always has another', async () => {
    const { id } = await fixture.createNode();
    const collecting = node.collectTraffic.bind(node);
    node.collectTraffic = (request) => {
      node.traffic(emailOf(alice), 1n, 0n);
      return collecting(request);
    };
    const traffic = collector(id);
    await traffic.collectTraffic(node, {});
    await traffic.collectTraffic(node, {});
    expect(await fixture.usedTraffic(alice)).toBe(2);
    expect((await fixture.readNode(id)).trafficNumber).toBe(2n);
  });

  it('stores when users of the batch were last online, by the time of its seal', async () => {
    const { id } = await fixture.createNode();
    const before = new Date();
    node.traffic(emailOf(alice), 1n, 0n);
    await collector(id).collectTraffic(node, {});
    const { manager } = fixture.database;
    const online = (await manager.findOneByOrFail(User, { id: alice.id })).onlineAt!;
    // The double seals in 2027: a clock that is ahead does not affect the database.
    expect(online.getTime()).toBeGreaterThanOrEqual(before.getTime() - 1);
    expect(online.getTime()).toBeLessThanOrEqual(Date.now());
    expect((await manager.findOneByOrFail(User, { id: bob.id })).onlineAt).toBeNull();
  });

  it('records a batch once that is repeated because its answer was lost', async () => {
    const { id } = await fixture.createNode();
    node.traffic(emailOf(alice), 5n, 5n);
    node.fail('collectTraffic', 'after');
    const traffic = collector(id);
    await expect(traffic.collectTraffic(node, {})).rejects.toThrow('cannot reach node');
    expect(await fixture.usedTraffic(alice)).toBe(0);
    await traffic.collectTraffic(node, {});
    expect(await fixture.usedTraffic(alice)).toBe(10);
    expect(await fixture.database.query('SELECT used_traffic, uplink FROM node_usages')).toEqual([
      { used_traffic: '10', uplink: '5' },
    ]);
  });

  it('records a batch once that was stored and never acknowledged', async () => {
    const { id } = await fixture.createNode();
    node.traffic(emailOf(alice), 5n, 5n);
    const traffic = collector(id);
    await traffic.collectTraffic(node, {});
    node.traffic(emailOf(alice), 1n, 1n);
    node.fail('collectTraffic', 'before');
    await expect(traffic.collectTraffic(node, {})).rejects.toThrow('cannot reach node');
    expect(await fixture.usedTraffic(alice)).toBe(10);
    await collector(id).collectTraffic(node, {});
    expect(await fixture.usedTraffic(alice)).toBe(12);
  });

  it('records a batch once that another replica stores between the answer and the transaction', async () => {
    const { id } = await fixture.createNode();
    node.traffic(emailOf(alice), 5n, 5n);
    const collecting = node.collectTraffic.bind(node);
    node.collectTraffic = async (request) => {
      node.collectTraffic = collecting;
      const batch = await collecting(request);
      await collector(id).collectTraffic(node, {});
      return batch;
    };
    await collector(id).collectTraffic(node, {});
    expect(await fixture.usedTraffic(alice)).toBe(10);
    expect(await fixture.readNode(id)).toMatchObject({ uplink: 5, downlink: 5, trafficNumber: 1n });
  });

  it('records the last traffic of a deleted node once, and keeps its totals', async () => {
    const { id } = await fixture.createNode({ usageCoefficient: 2 });
    const traffic = collector(id);
    node.traffic(emailOf(alice), 1n, 2n);
    await traffic.collectTraffic(node, {});
    node.traffic(emailOf(alice), 10n, 20n);
    const collecting = node.collectTraffic.bind(node);
    node.collectTraffic = async (request) => {
      node.collectTraffic = collecting;
      const batch = await collecting(request);
      await fixture.database.transaction(async (manager) => {
        await new NodeTotalsRepository().keepTotals(manager, [id]);
        await manager.delete(Node, { id });
      });
      return batch;
    };
    await traffic.collectTraffic(node, {});
    expect(await fixture.usedTraffic(alice)).toBe(66);
    node.traffic(emailOf(alice), 100n, 200n);
    node.fail('collectTraffic', 'after');
    await expect(traffic.collectTraffic(node, {})).rejects.toThrow('cannot reach node');
    await traffic.collectTraffic(node, {});
    await traffic.collectTraffic(node, {});
    expect(await fixture.usedTraffic(alice)).toBe(666);
    expect(await new NodeTotalsRepository().readTotals(fixture.database.manager)).toEqual({
      uplink: 111,
      downlink: 222,
    });
    expect(node.acknowledged.slice(-3)).toEqual([
      ['ledger-1', 2n],
      ['ledger-1', 2n],
      ['ledger-1', 3n],
    ]);
  });

  it('refuses to collect from a node that was deleted before the first collection', async () => {
    await expect(collector(4711).collectTraffic(node, {})).rejects.toThrow(
      'it was deleted before anything was collected',
    );
    expect(node.acknowledged).toEqual([]);
  });

  it('reports a node that repeats an acknowledged batch', async () => {
    const { id } = await fixture.createNode();
    node.traffic(emailOf(alice), 5n, 5n);
    const batch = await node.collectTraffic({});
    node.collectTraffic = () => Promise.resolve(batch);
    const traffic = collector(id);
    await traffic.collectTraffic(node, {});
    await expect(traffic.collectTraffic(node, {})).rejects.toThrow(
      'it repeats traffic batch 1, which was acknowledged',
    );
    expect(await fixture.usedTraffic(alice)).toBe(10);
  });

  it('accepts the lower batch numbers of a new ledger', async () => {
    const { id } = await fixture.createNode();
    const traffic = collector(id);
    node.traffic(emailOf(alice), 5n, 5n);
    await traffic.collectTraffic(node, {});
    node.restart('ledger-2');
    node.traffic(emailOf(alice), 1n, 1n);
    await traffic.collectTraffic(node, {});
    expect(await fixture.usedTraffic(alice)).toBe(12);
    expect(await fixture.readNode(id)).toMatchObject({ trafficLedger: 'ledger-2', trafficNumber: 1n });
  });

  it('ignores users that are deleted, unknown or not ours, and adds up both names of a renamed user', async () => {
    const { id } = await fixture.createNode();
    await fixture.deleteUser(bob);
    for (const email of [emailOf(bob), '999999.nobody', '99999999999.far', 'someone@else', ''])
      node.traffic(email, 9n, 9n);
    node.traffic(`${alice.id}.before`, 1n, 2n);
    node.traffic(emailOf(alice), 3n, 4n);
    await collector(id).collectTraffic(node, {});
    expect(await fixture.usedTraffic(alice)).toBe(10);
    expect(await fixture.readNode(id)).toMatchObject({ trafficNumber: 1n, uplink: 49, downlink: 51 });
  });

  it.each([
    [1, 3n, 3],
    [0.1, 25n, 3],
    [2.5, 3n, 8],
    [0.5, 1_000_000_000_001n, 500_000_000_001],
  ])('multiplies by the coefficient %p of the node: %p bytes are %p', async (usageCoefficient, bytes, used) => {
    const { id } = await fixture.createNode({ usageCoefficient });
    node.traffic(emailOf(alice), bytes, 0n);
    await collector(id).collectTraffic(node, {});
    expect(await fixture.usedTraffic(alice)).toBe(used);
    expect((await fixture.readNode(id)).uplink).toBe(Number(bytes));
  });

  it('security row 38: counts nothing of traffic that no line can have carried', async () => {
    const { id } = await fixture.createNode();
    node.traffic(emailOf(alice), 2n ** 64n - 1n, 2n ** 64n - 1n);
    await collector(id).collectTraffic(node, {});
    expect(await fixture.usedTraffic(alice)).toBe(0);
    expect(await fixture.readNode(id)).toMatchObject({
      uplink: 0,
      downlink: 0,
      trafficNumber: 1n,
      implausibleCount: 1,
    });
  });

  it('loses no byte and no batch to a deadlock when many nodes report the same users at once', async () => {
    const users = await fixture.createUsers(
      Array.from({ length: 300 }, (_, n) => `user${n}`),
      await fixture.createGroup(),
    );
    const nodes = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        const double = new NodeDouble();
        const { id } = await fixture.createNode();
        return { double, traffic: collector(id), order: n % 2 ? users : [...users].reverse() };
      }),
    );
    for (let round = 0; round < 5; round += 1) {
      for (const { double, order } of nodes) for (const user of order) double.traffic(emailOf(user), 1n, 2n);
      await Promise.all(nodes.map(({ double, traffic }) => traffic.collectTraffic(double, {})));
    }
    const used = await fixture.database.manager.find(User, { select: { id: true, usedTraffic: true } });
    expect(new Set(used.filter(({ id }) => id > bob.id).map(({ usedTraffic }) => usedTraffic))).toEqual(new Set([90]));
  });
});
