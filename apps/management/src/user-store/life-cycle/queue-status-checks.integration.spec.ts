import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NodeDouble } from '../../nodes/testing/node-double.js';
import { NodeFixture, trafficStores } from '../../nodes/testing/node-fixture.js';
import { TrafficCollector } from '../../nodes/traffic/traffic-collector.js';
import { LifeCycleFixture, SECOND } from '../../users/life-cycle/testing/life-cycle-fixture.js';
import type { UserView } from '../../users/view/user.dto.js';
import { User } from '../entities/user.entity.js';

const HELD = { status: 'on_hold', on_hold_expire_duration: 3600 };

let fixture: LifeCycleFixture;
beforeAll(async () => {
  fixture = await LifeCycleFixture.start();
});
afterAll(() => fixture?.close());

let node: TestNode;
beforeEach(async () => {
  await fixture.clear();
  node = await TestNode.start();
});

/** A node whose batches have the time of sealing that the test chooses. */
class TestNode {
  private readonly double = new NodeDouble();
  private collector: TrafficCollector;
  private sealedAt = 0n;

  private constructor(private readonly id: number) {
    this.collector = this.collectorAnew();
    const collecting = this.double.collectTraffic.bind(this.double);
    this.double.collectTraffic = async (request) => ({ ...(await collecting(request)), sealedAt: this.sealedAt });
  }

  static async start(): Promise<TestNode> {
    return new TestNode((await new NodeFixture(fixture.management.database).createNode()).id);
  }

  /** Replaces the collector, as a restart of management does: only what is stored remains known. */
  restartManagement(): void {
    this.collector = this.collectorAnew();
  }

  private collectorAnew(): TrafficCollector {
    return new TrafficCollector(trafficStores(fixture.management.database), this.id);
  }

  /** Collects a batch that was sealed at this moment, with traffic of these users, and runs the life cycle. */
  async collect(at: Date, ...users: Pick<User, 'id' | 'username'>[]): Promise<void> {
    this.sealedAt = BigInt(Math.floor(at.getTime() / 1000));
    for (const { id, username } of users) this.double.traffic(`${id}.${username}`, 400n, 100n);
    await this.collector.collectTraffic(this.double, {});
    await fixture.run();
  }
}

const statusOf = async ({ username }: UserView) => (await fixture.shown(username)).status;

describe('the data limit of a user', () => {
  it('removes the user from the nodes as soon as traffic has reached it', async () => {
    const user = await fixture.user({ data_limit: 1000 });
    await node.collect(new Date(), user);
    expect(await fixture.shown(user.username)).toMatchObject({ status: 'active', used_traffic: 500 });
    expect(await fixture.nodeChanges()).toEqual([]);
    await node.collect(new Date(), user);
    expect(await fixture.shown(user.username)).toMatchObject({ status: 'limited', used_traffic: 1000 });
    expect(await fixture.nodeChanges()).toEqual([[`${user.id}.${user.username}`, []]]);
  });

  it('does not affect users without a limit, disabled users and users on hold', async () => {
    const unlimited = await fixture.user();
    const disabled = await fixture.user({ data_limit: 1 }, { status: 'disabled' });
    await node.collect(new Date(), unlimited, disabled);
    expect(await fixture.manager.query('SELECT * FROM user_traffic_notices')).toEqual([]);
    expect([await statusOf(unlimited), await statusOf(disabled)]).toEqual(['active', 'disabled']);
  });
});

describe('traffic of many nodes', () => {
  it('does not deadlock with the life cycle, and no traffic is lost', async () => {
    await fixture.manager.query(
      `INSERT INTO users (username, data_limit)
       SELECT 'busy' || n, 500 * (n % 6) FROM generate_series(1, 200) n`,
    );
    await fixture.manager.query(
      `INSERT INTO user_groups (user_id, group_id) SELECT users.id, min(groups.id) FROM users, groups GROUP BY users.id
       ON CONFLICT DO NOTHING`,
    );
    const users = await fixture.manager.find(User);
    const nodes = await Promise.all(
      Array.from({ length: 4 }, async (_, n) => ({
        node: await TestNode.start(),
        order: n % 2 ? users : users.toReversed(),
      })),
    );
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(nodes.map(({ node, order }) => node.collect(new Date(), ...order)));
    }
    await fixture.run();
    const counts = await fixture.manager.query(
      `SELECT status, min(data_limit) AS least, count(*)::integer, min(used_traffic) AS used
       FROM users GROUP BY status ORDER BY status`,
    );
    expect(counts).toEqual([
      { status: 'active', least: '0', count: 33, used: '6000' },
      { status: 'limited', least: '500', count: 167, used: '6000' },
    ]);
  });
});

describe('the first traffic of a user on hold', () => {
  it('ends the hold, whose duration counts from now', async () => {
    const user = await fixture.user({ ...HELD, on_hold_timeout: '2033-05-18T03:33:20.000Z' });
    const earliest = Date.now();
    await node.collect(new Date(), user);
    const after = await fixture.shown(user.username);
    expect(after).toMatchObject({ status: 'active', on_hold_expire_duration: null, on_hold_timeout: null });
    const start = Date.parse(String(after.expire)) - 3600 * SECOND;
    expect([start >= earliest - 1, start <= Date.now()]).toEqual([true, true]);
    expect(await fixture.nodeChanges()).toEqual([]);
    expect(await fixture.manager.query('SELECT * FROM user_traffic_notices')).toEqual([]);
  });

  it('does not end the hold of another user', async () => {
    const user = await fixture.user(HELD);
    await node.collect(new Date(), await fixture.user());
    expect(await statusOf(user)).toBe('on_hold');
  });

  it('does not end the hold when it was made before the hold and arrives later', async () => {
    const user = await fixture.user();
    await node.collect(fixture.later(-10 * SECOND), user);
    await fixture.management.call('PUT', `/api/user/${user.username}`, HELD);
    await fixture.management.call('PUT', `/api/user/${user.username}`, { note: 'edited later' });
    await node.collect(fixture.later(5 * SECOND), user);
    expect(await fixture.shown(user.username)).toMatchObject({ status: 'on_hold', used_traffic: 1000 });
    await fixture.manager.query(`UPDATE users SET status_changed_at = now() - interval '1 minute'`);
    await node.collect(new Date(), user);
    expect(await statusOf(user)).toBe('active');
  });

  it('ends the hold when the node had nothing to collect since the hold began', async () => {
    const user = await fixture.user();
    await node.collect(fixture.later(-3600 * SECOND), user);
    await fixture.management.call('PUT', `/api/user/${user.username}`, HELD);
    await fixture.manager.query(`UPDATE users SET status_changed_at = now() - interval '1 minute'`);
    await node.collect(fixture.later(-10 * SECOND));
    await node.collect(new Date(), user);
    expect(await statusOf(user)).toBe('active');
  });

  it('ends the hold after a restart of management', async () => {
    const user = await fixture.user();
    await node.collect(fixture.later(-10 * SECOND), user);
    await fixture.management.call('PUT', `/api/user/${user.username}`, HELD);
    await fixture.manager.query(`UPDATE users SET status_changed_at = now() - interval '1 minute'`);
    node.restartManagement();
    await node.collect(new Date(), user);
    expect(await statusOf(user)).toBe('active');
  });

  it('does not end a hold that began again before the check', async () => {
    const user = await fixture.user({}, { status: 'on_hold', onHoldExpireDuration: 60 });
    await fixture.manager.query(`INSERT INTO user_traffic_notices VALUES ($1, now() - interval '1 minute')`, [user.id]);
    await fixture.run();
    expect(await statusOf(user)).toBe('on_hold');
    expect(await fixture.manager.query('SELECT * FROM user_traffic_notices')).toEqual([]);
  });

  it('is queued as a check that is deleted with its user', async () => {
    const user = await fixture.user(HELD);
    await fixture.manager.query(`INSERT INTO user_traffic_notices VALUES ($1, '-infinity')`, [user.id]);
    await fixture.management.call('DELETE', `/api/user/${user.username}`);
    expect(await fixture.manager.query('SELECT * FROM user_traffic_notices')).toEqual([]);
    await fixture.run();
    expect(await fixture.manager.count(User)).toBe(0);
  });
});
