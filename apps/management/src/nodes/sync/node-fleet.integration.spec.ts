import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import type { CallOptions, StartInput } from '@rampart/node-client';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { ChangeFeed } from '../../change-events/change-feed.js';
import type { Group } from '../../groups/group.entity.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import { NodeDouble } from '../testing/node-double.js';
import { DoubleConnector, NodeFixture } from '../testing/node-fixture.js';
import { NodeSyncManager } from './node-sync-manager.js';
import { NodeTiming } from './node-timing.js';
import { StartLimiter } from './start-limiter.js';

const FLEET = 100;

describe('many nodes', () => {
  let database: DataSource;
  let fixture: NodeFixture;
  let group: Group;
  let manager: NodeSyncManager;
  const nodes = new Map<number, NodeDouble>();

  beforeEach(async () => {
    database = await createMigratedDatabase();
    fixture = new NodeFixture(database);
    group = await fixture.createGroup();
    nodes.clear();
  });

  afterEach(() => manager.beforeApplicationShutdown());

  async function fleet(size: number): Promise<NodeDouble[]> {
    await fixture.createNode();
    await database.query(
      `INSERT INTO nodes (name, address, port, connection_type, server_ca, keep_alive, core_config_id, api_key_encrypted)
       SELECT 'node ' || n, address, port, connection_type, server_ca, keep_alive, core_config_id, api_key_encrypted
       FROM nodes, generate_series(2, $1) AS n`,
      [size],
    );
    for (const { id } of await database.query('SELECT id FROM nodes ORDER BY id')) nodes.set(id, new NodeDouble());
    return [...nodes.values()];
  }

  /** Uses the intervals of production, so whatever happens quickly is caused by a notification. */
  function serve(startLimiter = new StartLimiter()): void {
    const connector = new DoubleConnector((id) => nodes.get(id)!);
    const context = { ...fixture.contextOf(connector), startLimiter };
    manager = new NodeSyncManager(context, new NodeTiming(), new ChangeFeed());
    manager.onApplicationBootstrap();
  }

  it('are started a few at a time, and all get a change', async () => {
    await fixture.createUsers(
      Array.from({ length: 20 }, (_, n) => `user${n}`),
      group,
    );
    const all = await fleet(FLEET);
    let [now, most] = [0, 0];
    for (const node of all) {
      const start = node.start.bind(node);
      node.start = async (backend) => {
        now += 1;
        most = Math.max(most, now);
        await wait(20);
        now -= 1;
        return start(backend);
      };
    }
    serve();
    await until((saw) => saw(all).every(({ users }) => users.size === 20), 25_000);
    expect(most).toBeLessThanOrEqual(4);
    expect(most).toBeGreaterThan(1);
    const alice = await fixture.createUser('alice', group);
    await until((saw) => saw(all).every(({ users }) => users.has(nodeEmail(alice.id, 'alice'))));
    await fixture.deleteUser(alice);
    await until((saw) => saw(all).every(({ users }) => users.size === 20));
    expect(all.every(({ starts, synced }) => starts.length === 1 && synced.length === 2)).toBe(true);
  });

  it('security row 68: do not wait for those that keep their Starts open', async () => {
    const all = await fleet(40);
    const [late, others] = [all.slice(0, 12), all.slice(12)];
    let [open, most] = [0, 0];
    for (const node of late) {
      node.start = (_: StartInput, { signal }: CallOptions = {}) => {
        open += 1;
        most = Math.max(most, open);
        return new Promise((_resolve, reject) => signal?.addEventListener('abort', reject, { once: true })).finally(
          () => {
            open -= 1;
          },
        ) as Promise<never>;
      };
    }
    serve(new StartLimiter(100));
    await until((saw) => saw(others).every(({ starts }) => starts.length === 1), 10_000);
    const alice = await fixture.createUser('alice', group);
    await until((saw) => saw(others).every(({ users }) => users.has(nodeEmail(alice.id, 'alice'))));
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(8);
    const messages: string[] = (await database.query(`SELECT DISTINCT message FROM nodes WHERE status = 'error'`)).map(
      ({ message }: { message: string }) => message,
    );
    expect(messages).toEqual([
      'it had not taken its full set of users after 0.1 s, while other nodes waited: it takes turns with other slow nodes now',
    ]);
  });

  it('do not wait for a slow node, which loses no change', async () => {
    const [slow, ...others] = (await fleet(4)) as [NodeDouble, ...NodeDouble[]];
    serve();
    await until((saw) => saw([slow, ...others]).every(({ starts }) => starts.length === 1));
    const sync = slow.syncUser.bind(slow);
    let answer: () => void = () => undefined;
    const slowness = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const sent: string[][] = [];
    slow.syncUser = async (users) => {
      const batch = [...users];
      sent.push(batch.map(({ email }) => email));
      await slowness;
      return sync(batch);
    };
    const emails: string[] = [];
    for (const name of ['alice', 'bob', 'carol']) {
      const user = await fixture.createUser(name, group);
      emails.push(nodeEmail(user.id, name));
      await until((saw) => saw(others).every(({ users }) => users.has(emails.at(-1)!)));
    }
    expect([slow.users.size, sent]).toEqual([0, [[emails[0]]]]);
    answer();
    await until((saw) => saw(slow.users).size === 3);
    // The changes that were made while it was busy are sent in one call.
    expect(sent).toEqual([[emails[0]], [emails[1], emails[2]]]);
    expect(slow.starts).toHaveLength(1);
  });
});
