import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { createNodeClient, type NodeClient } from '@rampart/node-client';
import { REFERENCE_KEY, ReferenceNode, selfSigned } from '@rampart/node-client/testing';
import type { DataSource } from 'typeorm';
import type { Group } from '../../groups/group.entity.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import type { User } from '../../user-store/entities/user.entity.js';
import type { Node } from '../store/node.entity.js';
import { NodeDouble } from '../testing/node-double.js';
import { NodeFixture, trafficStores } from '../testing/node-fixture.js';
import { CounterReading } from './counter-reading.entity.js';
import { CounterReadingRepository } from './counter-reading.repository.js';
import { TrafficCollector } from './traffic-collector.js';

const MB = 1_000_000n;
const emailOf = ({ id, username }: User): string => nodeEmail(id, username);

let certificate: Awaited<ReturnType<typeof selfSigned>>;
beforeAll(async () => {
  certificate = await selfSigned({ names: ['127.0.0.1'] });
});

describe('TrafficCollector with a node of another implementation', () => {
  const source = { address: 'here:1', countsSinceOurStart: true };
  const readings = () => database.manager.count(CounterReading);
  const counters = () => database.query('SELECT user_id, uplink, downlink FROM user_counters ORDER BY user_id');
  let database: DataSource;
  let fixture: NodeFixture;
  let group: Group;
  let alice: User;
  let node: ReferenceNode;
  let row: Node;
  let client: NodeClient;

  beforeEach(async () => {
    database = await createMigratedDatabase();
    fixture = new NodeFixture(database);
    group = await fixture.createGroup();
    alice = await fixture.createUser('alice', group);
    row = await fixture.createNode();
    node = new ReferenceNode('grpc', certificate);
    const tls = { ca: certificate.cert };
    const to = { host: '127.0.0.1', port: await node.listen() };
    client = createNodeClient({ transport: 'grpc', ...to, apiKey: REFERENCE_KEY, tls });
    await client.start({ config: '{}' });
  });
  afterEach(async () => {
    await client.close();
    await node.close();
  });

  const collect = (from = source) =>
    new TrafficCollector(trafficStores(database), row.id).collectTraffic(client, {}, from);

  it('drops a reading that another replica has overtaken', async () => {
    node.traffic(emailOf(alice), 2n * MB, 3n * MB);
    await collect();
    const asking = client.stats.bind(client);
    client.stats = async (request) => {
      client.stats = asking;
      const old = await asking(request);
      node.traffic(emailOf(alice), 1n, 1n);
      await collect();
      return old;
    };
    await collect();
    expect(await fixture.usedTraffic(alice)).toBe(5_000_002);
    await collect();
    expect(await fixture.usedTraffic(alice)).toBe(5_000_002);
  });

  it('records traffic once when its reading could not be stored with it', async () => {
    node.traffic(emailOf(alice), 2n * MB, 3n * MB);
    const storing = jest.spyOn(CounterReadingRepository.prototype, 'storeReading');
    storing.mockRejectedValueOnce(new Error('the disk is full'));
    await expect(collect()).rejects.toThrow('the disk is full');
    expect([await fixture.usedTraffic(alice), await readings(), await counters()]).toEqual([0, 0, []]);
    await collect();
    await collect();
    expect(storing).toHaveBeenCalledTimes(3);
    storing.mockRestore();
    expect(await fixture.usedTraffic(alice)).toBe(5_000_000);
    expect(await fixture.readNode(row.id)).toMatchObject({ uplink: 2_000_000, downlink: 3_000_000 });
  });

  it('drops a reading during which the engine restarted', async () => {
    node.core.uptime = 100;
    node.traffic(emailOf(alice), 2n * MB, 3n * MB);
    const asking = client.stats.bind(client);
    client.stats = async (request) => {
      client.stats = asking;
      const old = await asking(request);
      node.restartEngine();
      return old;
    };
    await collect();
    expect([await fixture.usedTraffic(alice), await readings()]).toEqual([0, 0]);
  });

  it('deletes counters that the engine no longer has, and ignores users that are not ours', async () => {
    const bob = await fixture.createUser('bob', group);
    node.core.uptime = 100;
    const others = ['someone@else', '99999999999.far', '1x.odd', ''];
    for (const email of [emailOf(alice), emailOf(bob), ...others]) node.traffic(email, 1n, 2n);
    await collect();
    expect(await counters()).toEqual([alice, bob].map(({ id }) => ({ user_id: id, uplink: '1', downlink: '2' })));
    node.restartEngine();
    node.traffic(`${bob.id}.before`, 1n, 0n);
    node.traffic(emailOf(bob), 3n, 4n);
    await collect();
    expect(await counters()).toEqual([{ user_id: bob.id, uplink: '4', downlink: '4' }]);
    expect([await fixture.usedTraffic(alice), await fixture.usedTraffic(bob)]).toEqual([3, 11]);
  });

  it('adds the traffic of a deleted user to the totals of the node only', async () => {
    node.traffic(emailOf(alice), 2n * MB, 3n * MB);
    await fixture.deleteUser(alice);
    await collect();
    expect(await fixture.readNode(row.id)).toMatchObject({ uplink: 2_000_000, downlink: 3_000_000 });
    expect(await database.query('SELECT count(*)::integer AS n FROM node_user_usages')).toEqual([{ n: 0 }]);
  });

  it('does not record counters of another address when the node has moved', async () => {
    node.traffic(emailOf(alice), 2n * MB, 3n * MB);
    await collect();
    node.traffic(emailOf(alice), 2n * MB, 3n * MB);
    await collect({ address: 'there:1', countsSinceOurStart: false });
    node.traffic(emailOf(alice), 1n, 0n);
    await collect({ address: 'there:1', countsSinceOurStart: true });
    expect(await fixture.usedTraffic(alice)).toBe(5_000_001);
  });

  it('security row 71: keeps counters only of users whom the node can know', async () => {
    const bob = await fixture.createUser('bob', await fixture.createGroup(['another inbound']));
    const collector = new TrafficCollector(trafficStores(database), row.id);
    const read = () => collector.collectTraffic(client, {}, source);
    const report = async () => (await fixture.readNode(row.id)).implausibleCount;
    for (const { id, username } of [alice, bob]) node.traffic(nodeEmail(id, username), 1n, 2n);
    for (let id = 1_000; id < 6_000; id += 1) node.traffic(`${id}.nobody`, 1n, 2n);
    const ofAlice = { user_id: alice.id, uplink: '1', downlink: '2' };
    await read();
    await read();
    expect([await counters(), await report()]).toEqual([[ofAlice], 1]);
    expect((await fixture.readNode(row.id)).implausibleMessage).toBe(
      'it reported traffic that is not counted: 3 B of 1 user without access to it',
    );
    node.traffic(emailOf(bob), 1n, 0n);
    await read();
    expect([await counters(), await report()]).toEqual([[ofAlice], 2]);
    expect([await fixture.usedTraffic(alice), await fixture.usedTraffic(bob)]).toEqual([3, 0]);
  });

  it('counts a user who has access again from where it was, and forgets a deleted one', async () => {
    node.traffic(emailOf(alice), 2n * MB, 3n * MB);
    await collect();
    await database.query(`UPDATE users SET status = 'disabled', served_until = now() - interval '3 days'`);
    await collect();
    expect(await counters()).toHaveLength(1);
    await database.query(`UPDATE users SET status = 'active', served_until = NULL`);
    node.traffic(emailOf(alice), 1n, 1n);
    await collect();
    expect(await fixture.usedTraffic(alice)).toBe(5_000_002);
    await fixture.deleteUser(alice);
    await collect();
    expect(await counters()).toEqual([]);
  });

  it('security row 38: counts nothing of traffic that no line can have carried', async () => {
    node.traffic(emailOf(alice), 2n ** 63n - 1n, 2n ** 63n - 1n);
    node.core.counters.set('outbound>>>other>>>traffic>>>uplink', 2n ** 63n - 1n);
    await collect();
    expect(await fixture.usedTraffic(alice)).toBe(0);
    expect(await fixture.readNode(row.id)).toMatchObject({ uplink: 0, downlink: 0, implausibleCount: 1 });
  });

  it('deletes the readings when the node becomes a Rampart node, and when it is deleted', async () => {
    node.traffic(emailOf(alice), 1n, 2n);
    const collector = new TrafficCollector(trafficStores(database), row.id);
    await collector.collectTraffic(client, {}, source);
    expect([await readings(), (await counters()).length]).toEqual([1, 1]);
    const ours = new NodeDouble();
    ours.traffic(emailOf(alice), 10n, 20n);
    await collector.collectTraffic(ours, {}, source);
    expect([await readings(), await counters(), await fixture.usedTraffic(alice)]).toEqual([0, [], 33]);

    await collector.collectTraffic(client, {}, source);
    await database.query(`UPDATE counter_readings SET read_at = now() - interval '1 hour'`);
    await new CounterReadingRepository().deleteReadingsOfDeletedNodes(database);
    expect(await readings()).toBe(1);
    await database.query('DELETE FROM nodes');
    await new CounterReadingRepository().deleteReadingsOfDeletedNodes(database);
    expect([await readings(), await counters()]).toEqual([0, []]);
  });

  it('does not read counters when a proxy answers for a Rampart node', async () => {
    const ours = new NodeDouble();
    ours.fail('collectTraffic', 'before', 'NOT_FOUND', 'this node has no CollectTraffic: 404 page not found');
    const collector = new TrafficCollector(trafficStores(database), row.id);
    await expect(collector.collectTraffic(ours, {}, source)).rejects.toThrow('this node has no CollectTraffic');
    expect(await readings()).toBe(0);
  });
});
