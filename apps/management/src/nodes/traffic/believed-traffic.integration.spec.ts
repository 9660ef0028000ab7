import { beforeEach, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import type { DataSource } from 'typeorm';
import { Admin } from '../../admins/store/admin.entity.js';
import { Group } from '../../groups/group.entity.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import { User } from '../../user-store/entities/user.entity.js';
import { UserGroup } from '../../user-store/entities/user-group.entity.js';
import { NodeRepository } from '../store/node.repository.js';
import { NodeSyncRepository } from '../sync/node-sync.repository.js';
import { NodeDouble } from '../testing/node-double.js';
import { INBOUND_TAG, NodeFixture, trafficStores } from '../testing/node-fixture.js';
import { PastTagsRetention } from './past-tags-retention.js';
import { TrafficCollector } from './traffic-collector.js';

const GB = 1_000_000_000n;
/** The default: 2.5 GB in a second, both directions together. */
const LINE_RATE = 10_000;
const emailOf = ({ id, username }: User): string => nodeEmail(id, username);

let database: DataSource;
let fixture: NodeFixture;
let group: Group;
let alice: User;
let node: NodeDouble;
let nodeId: number;
let collector: TrafficCollector;

beforeEach(async () => {
  database = await createMigratedDatabase();
  fixture = new NodeFixture(database);
  group = await fixture.createGroup();
  alice = await fixture.createUser('alice', group);
  node = new NodeDouble();
  nodeId = (await fixture.createNode()).id;
  collector = newCollector();
  // The first call of a collector may get a batch that was sealed before.
  await collector.collectTraffic(node, {});
});

const newCollector = () => new TrafficCollector(trafficStores(database, LINE_RATE), nodeId);
const row = () => fixture.readNode(nodeId);
const passed = (time: string) =>
  database.query(`UPDATE nodes SET traffic_settled_at = traffic_settled_at - $1::interval`, [time]);

async function report(traffic: readonly (readonly [User, bigint])[]): Promise<void> {
  for (const [user, bytes] of traffic) node.traffic(emailOf(user), bytes, 0n);
  await collector.collectTraffic(node, {});
}

describe('the traffic that a node reports', () => {
  it('security row 38: traffic of users to whom the node gives no access is not counted, and that of all others is', async () => {
    const owner = await database.manager.save(
      database.manager.create(Admin, { username: 'owner', passwordHash: 'none' }),
    );
    const others = await fixture.createGroup(['another inbound']);
    const bob = await fixture.createUser('bob', others);
    await database.manager.update(User, { id: bob.id }, { adminId: owner.id, dataLimit: 100, status: 'on_hold' });
    await report([
      [alice, 5n],
      [bob, 2n ** 64n - 1n],
    ]);
    expect(await fixture.usedTraffic(alice)).toBe(5);
    expect(await database.manager.findOneByOrFail(User, { id: bob.id })).toMatchObject({
      usedTraffic: 0,
      status: 'on_hold',
      onlineAt: null,
    });
    expect((await database.manager.findOneByOrFail(Admin, { id: owner.id })).usedTraffic).toBe(0);
    expect(await database.query('SELECT * FROM user_traffic_notices')).toEqual([]);
    const message =
      'it reported traffic that is not counted: 18.4 EB of 1 user without access to it; ' +
      '18.4 EB of its outbounds, more than the 75.0 GB that its line can have carried';
    const { implausibleMessage, ...found } = await row();
    expect(implausibleMessage?.replace(/75\.\d GB/, '75.0 GB')).toBe(message);
    expect(found).toMatchObject({ trafficNumber: 1n, implausibleCount: 1, uplink: 0, downlink: 0 });
    expect(collector.implausible?.message).toBe(implausibleMessage);
    expect(await database.query('SELECT action, target, difference FROM audit_entries')).toEqual([
      {
        action: 'node.implausible_traffic',
        target: `node/${nodeId}`,
        difference: { message: { after: implausibleMessage } },
      },
    ]);
    await report([[bob, 1n]]);
    expect(node.acknowledged.at(-1)).toEqual(['ledger-1', 1n]);
    expect(await row()).toMatchObject({ implausibleCount: 2, implausibleMessage });
    expect(await database.query('SELECT count(*)::integer AS n FROM audit_entries')).toEqual([{ n: 1 }]);
  });

  it('security row 38: a node has at most what its line carries, however many batches it makes of it', async () => {
    await report([[alice, 60n * GB]]);
    await report([[alice, 60n * GB]]);
    expect(await fixture.usedTraffic(alice)).toBe(60e9);
    await passed('30 seconds');
    await report([[alice, 60n * GB]]);
    expect(await fixture.usedTraffic(alice)).toBe(120e9);
    await collector.collectTraffic(node, {});
    await report([[alice, 60n * GB]]);
    expect(await fixture.usedTraffic(alice)).toBe(120e9);
    expect(await row()).toMatchObject({ implausibleCount: 2 });
  });

  it('security row 38: a node that was unreachable for a day hands over the traffic of that day', async () => {
    const bob = await fixture.createUser('bob', group);
    await fixture.changeUser(bob, { status: 'disabled' });
    await database.query(`UPDATE users SET served_until = now() - interval '23 hours' WHERE id = $1`, [bob.id]);
    await database.query(`UPDATE user_groups SET member_since = now() - interval '2 days'`);
    await passed('1 day');
    await report([
      [alice, 200_000n * GB],
      [bob, 7n],
    ]);
    expect([await fixture.usedTraffic(alice), await fixture.usedTraffic(bob)]).toEqual([200_000e9, 7]);
    expect((await row()).implausibleCount).toBe(0);
  });

  it('security row 38: a node that was disabled for a month has no line of that time', async () => {
    await switchedOffFor('30 days');
    await report([[alice, 200n * GB]]);
    expect(await fixture.usedTraffic(alice)).toBe(0);
    expect((await row()).implausibleCount).toBe(1);
    await report([[alice, 50n * GB]]);
    expect(await fixture.usedTraffic(alice)).toBe(50e9);
  });

  it('security row 38: a node that was disabled while it was unreachable hands over the traffic of before, and no more', async () => {
    await passed('1 day');
    await switchedOffFor('30 days');
    await switchedOffFor('30 days');
    await report([[alice, 200_000n * GB]]);
    expect(await fixture.usedTraffic(alice)).toBe(200_000e9);
    await report([[alice, 200n * GB]]);
    expect(await fixture.usedTraffic(alice)).toBe(200_000e9);
  });
  const switchedOffFor = async (time: string) => {
    const repository = new NodeRepository();
    await repository.setStatus(database.manager, [nodeId], 'disabled');
    await passed(time);
    await repository.setStatus(database.manager, [nodeId], 'connecting');
  };

  it('security row 38: traffic from behind a batch whose answer an outage has swallowed counts as well', async () => {
    node.traffic(emailOf(alice), 5n, 0n);
    node.fail('collectTraffic', 'after');
    await expect(collector.collectTraffic(node, {})).rejects.toThrow('cannot reach node');
    await passed('1 day');
    await collector.collectTraffic(node, {});
    await report([[alice, 200_000n * GB]]);
    expect(await fixture.usedTraffic(alice)).toBe(200_000e9 + 5);
    await report([[alice, 200n * GB]]);
    expect(await fixture.usedTraffic(alice)).toBe(200_000e9 + 5);
    expect((await row()).implausibleCount).toBe(1);
  });

  const losses: [string, () => Promise<unknown>][] = [
    ['was disabled', () => fixture.changeUser(alice, { status: 'disabled' })],
    ['reached its limit', () => fixture.changeUser(alice, { status: 'limited' })],
    ['left its group', () => database.manager.delete(UserGroup, { userId: alice.id })],
    [
      'has a group that lost its inbound',
      () => database.manager.update(Group, { id: group.id }, { inboundTags: ['b'] }),
    ],
    ['has a group that was disabled', () => database.manager.update(Group, { id: group.id }, { isDisabled: true })],
    [
      'has a group that was disabled, emptied and deleted',
      async () => {
        await database.manager.update(Group, { id: group.id }, { isDisabled: true });
        await database.manager.delete(UserGroup, { groupId: group.id });
        await database.manager.delete(Group, { id: group.id });
      },
    ],
    [
      'was disabled before it left its group',
      async () => {
        await fixture.changeUser(alice, { status: 'disabled' });
        await database.manager.delete(UserGroup, { userId: alice.id });
      },
    ],
    ['is on a node that was started with other inbounds', () => startWith('b')],
  ];
  const startWith = async (...inboundTags: string[]) => {
    const repository = new NodeSyncRepository();
    await repository.prepareStart(database.manager, nodeId, inboundTags);
    await repository.markStarted(database.manager, nodeId, { revision: 1n, inboundTags });
  };

  it.each(losses)(
    'security row 38: late traffic of a user who %s counts, until that is long ago',
    async (_what, lose) => {
      await lose();
      await report([[alice, 5n]]);
      expect(await fixture.usedTraffic(alice)).toBe(5);
      for (const table of ['past_user_tags', 'past_group_tags', 'past_node_tags'])
        await database.query(`UPDATE ${table} SET until = until - interval '25 hours'`);
      await database.query(`UPDATE users SET served_until = served_until - interval '25 hours'`);
      await report([[alice, 5n]]);
      expect(await fixture.usedTraffic(alice)).toBe(5);
      expect((await row()).implausibleCount).toBe(1);
    },
  );

  it.each<[string, () => Promise<User>]>([
    ['has another inbound', async () => fixture.createUser('eve', await fixture.createGroup(['b']))],
    ['has a disabled group', async () => fixture.createUser('eve', await disabledGroup())],
    [
      'came into a group after that had lost the inbound',
      async () => {
        await database.manager.update(Group, { id: group.id }, { inboundTags: ['b'] });
        return fixture.createUser('eve', group);
      },
    ],
    [
      'was never served',
      async () => {
        const eve = await fixture.createUser('eve', group);
        await database.query(`UPDATE users SET status = 'disabled', served_until = NULL WHERE id = $1`, [eve.id]);
        await database.query('UPDATE users SET served_until = NULL');
        return eve;
      },
    ],
  ])('security row 38: traffic of a user who %s does not count', async (_what, create) => {
    await report([[await create(), 5n]]);
    expect(await database.query(`SELECT used_traffic FROM users WHERE username = 'eve'`)).toEqual([
      { used_traffic: '0' },
    ]);
    expect((await row()).implausibleCount).toBe(1);
  });
  const disabledGroup = async () => {
    const created = await fixture.createGroup();
    await database.manager.update(Group, { id: created.id }, { isDisabled: true });
    return created;
  };

  it('a group whose stored tags are damaged can lose them, and so can its users', async () => {
    await database.query(`UPDATE groups SET inbound_tags = ARRAY[$1, NULL] WHERE id = $2`, [INBOUND_TAG, group.id]);
    await database.manager.delete(UserGroup, { userId: alice.id });
    await database.query(`UPDATE groups SET inbound_tags = '{NULL}' WHERE id = $1`, [group.id]);
    await database.query(`UPDATE groups SET is_disabled = true WHERE id = $1`, [group.id]);
    expect(await database.query('SELECT tag FROM past_user_tags')).toEqual([{ tag: INBOUND_TAG }]);
    expect(await database.query('SELECT tag FROM past_group_tags')).toEqual([{ tag: INBOUND_TAG }]);
  });

  it('an inbound that is offered behind a fallback is that of its own tag', async () => {
    const eve = await fixture.createUser('eve', await fixture.createGroup([`${INBOUND_TAG}<=>front`]));
    await report([[eve, 5n]]);
    expect(await fixture.usedTraffic(eve)).toBe(5);
  });

  it('a node that may have been started has the inbounds from before and after, until it answers', async () => {
    const bob = await fixture.createUser('bob', await fixture.createGroup(['b']));
    const repository = new NodeSyncRepository();
    await repository.prepareStart(database.manager, nodeId, ['b']);
    await report([
      [alice, 1n],
      [bob, 2n],
    ]);
    await repository.markStarted(database.manager, nodeId, { revision: 1n, inboundTags: ['b'] });
    expect(await database.query('SELECT node_id, tag FROM past_node_tags')).toEqual([
      { node_id: nodeId, tag: INBOUND_TAG },
    ]);
    expect(await row()).toMatchObject({ inboundTags: ['b'], implausibleCount: 0 });
    expect([await fixture.usedTraffic(alice), await fixture.usedTraffic(bob)]).toEqual([1, 2]);
  });

  it('inbounds that users and groups lost are forgotten when no node can report traffic of then', async () => {
    await database.manager.delete(UserGroup, { userId: alice.id });
    await database.manager.update(Group, { id: group.id }, { isDisabled: true });
    const counts = () =>
      database.query(
        'SELECT (SELECT count(*) FROM past_user_tags)::integer + (SELECT count(*) FROM past_group_tags)::integer AS n',
      );
    const retention = new PastTagsRetention(database);
    const afterHours = (hours: number) => retention.run(new Date(Date.now() + hours * 3_600_000));
    await afterHours(23);
    expect(await counts()).toEqual([{ n: 2 }]);
    await database.query(`UPDATE nodes SET traffic_settled_at = now() + interval '25 hours'`);
    await afterHours(23);
    expect(await counts()).toEqual([{ n: 2 }]);
    await afterHours(25);
    expect(await counts()).toEqual([{ n: 0 }]);
  });

  it('security row 39: a batch with more entries than there can be is counted up to there and acknowledged', async () => {
    const collecting = node.collectTraffic.bind(node);
    let limit: number | undefined;
    node.collectTraffic = async (request, options: { maxEntries?: number } = {}) => {
      limit = options.maxEntries;
      return { ...(await collecting(request)), leftOut: 1_400_000 };
    };
    await report([[alice, 5n]]);
    expect(limit).toBe(100_001);
    expect(await fixture.usedTraffic(alice)).toBe(5);
    expect(await row()).toMatchObject({
      trafficNumber: 1n,
      implausibleMessage: 'it reported traffic that is not counted: 1400000 entries more than there can be',
    });
  });

  it('security row 38: a batch with a number that no batch can have is refused', async () => {
    const collecting = node.collectTraffic.bind(node);
    node.collectTraffic = async (request) => ({ ...(await collecting(request)), number: 2n ** 64n - 1n });
    await expect(report([[alice, 5n]])).rejects.toThrow(
      'its traffic batch has the number 18446744073709551615, which none can have',
    );
  });
});
