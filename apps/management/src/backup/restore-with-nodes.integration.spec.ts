import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { createNodeClient, type NodeClient, NodeClientError } from '@rampart/node-client';
import { REFERENCE_KEY, ReferenceNode, selfSigned } from '@rampart/node-client/testing';
import { moveBack, until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../app/data-source.js';
import { ChangeFeed } from '../change-events/change-feed.js';
import { asDatabase } from '../database/database.js';
import type { Group } from '../groups/group.entity.js';
import { loadSharedKeys } from '../known-keys/load-shared-keys.js';
import { NodeSyncManager } from '../nodes/sync/node-sync-manager.js';
import { NodeDouble } from '../nodes/testing/node-double.js';
import { DoubleConnector, NodeFixture, QUICK_TIMING } from '../nodes/testing/node-fixture.js';
import { createEmptyDatabase, createMigratedDatabase, withoutTriggers } from '../testing/migrated-database.js';
import type { User } from '../user-store/entities/user.entity.js';
import { BackupFixture } from './testing/backup-fixture.js';

jest.setTimeout(60_000);

const emailOf = ({ id, username }: User): string => nodeEmail(id, username);

/** A management without its API on one database. */
class Installation {
  readonly fixture: NodeFixture;
  private manager?: NodeSyncManager;

  constructor(
    readonly database: DataSource,
    private readonly open: () => NodeClient,
  ) {
    this.fixture = new NodeFixture(database);
  }

  async start(): Promise<void> {
    await this.database.query(`UPDATE nodes SET status = 'connecting'`);
    this.manager = new NodeSyncManager(
      this.fixture.contextOf(new DoubleConnector(this.open)),
      QUICK_TIMING,
      new ChangeFeed(),
    );
    this.manager.onApplicationBootstrap();
    await until(async (saw) => saw(await this.fixture.readNode(1)).status === 'connected');
  }

  async stop(): Promise<void> {
    await this.manager?.beforeApplicationShutdown();
    this.manager = undefined;
  }

  untilUsed(user: User, bytes: number): Promise<void> {
    return until(async (saw) => saw(await this.fixture.usedTraffic(user)) === bytes);
  }
}

let backups: BackupFixture;
let installation: Installation;
let group: Group;
let alice: User;
let restored: DataSource | undefined;

beforeEach(async () => {
  backups = await BackupFixture.create();
});
afterEach(async () => {
  await installation.stop();
  await restored?.destroy();
  restored = undefined;
  await backups.remove();
});

const envOf = (database: DataSource) => backups.env('data', asDatabase(database).url);

/** An installation with one user and one node. */
async function install(open: () => NodeClient): Promise<void> {
  const database = await createMigratedDatabase();
  await loadSharedKeys(database, envOf(database), () => undefined);
  installation = new Installation(database, open);
  group = await installation.fixture.createGroup();
  alice = await installation.fixture.createUser('alice', group);
  await installation.fixture.createNode();
  await installation.start();
}

/** Makes a backup beside the running installation, as if two days ago. */
async function backUpTwoDaysAgo(): Promise<string> {
  await withoutTriggers(() => moveBack(installation.database, 2));
  return (await backups.backUp(envOf(installation.database), 'two-days.age')).file;
}

/** Replaces the installation by the restored backup. Nodes are not told. */
async function replaceBy(file: string, open: () => NodeClient): Promise<void> {
  const url = await createEmptyDatabase();
  await backups.restore(backups.env('restored', url), file);
  restored = await createDataSource(url).initialize();
  installation = new Installation(restored, open);
}

describe('a backup that is two days old, restored while a node runs on', () => {
  it('a restored backup counts every batch of a Rampart node once, and none for a new user with an id of a lost one', async () => {
    const node = new NodeDouble();
    await install(() => node);
    node.traffic(emailOf(alice), 600n, 400n);
    await installation.untilUsed(alice, 1_000);
    const file = await backUpTwoDaysAgo();

    // What happens after the backup, until the installation is lost.
    const bob = await installation.fixture.createUser('bob', group);
    await until((saw) => saw(node.users).has(emailOf(bob)));
    node.traffic(emailOf(alice), 0n, 500n);
    await installation.untilUsed(alice, 1_500);
    await installation.fixture.changeUser(alice, { note: 'later' });
    await until((saw) => saw(node.acknowledged.at(-1)?.[1]) === 2n);
    // This batch is recorded, but its acknowledgement does not reach the node any more.
    const collect = node.collectTraffic.bind(node);
    node.collectTraffic = (...request) => {
      node.collectTraffic = () => Promise.reject(new NodeClientError('UNREACHABLE', 'cannot reach node'));
      return collect(...request);
    };
    node.traffic(emailOf(alice), 20n, 0n);
    node.traffic(emailOf(bob), 5n, 0n);
    await installation.untilUsed(alice, 1_520);
    await installation.stop();
    node.collectTraffic = collect;
    // Nobody collects this traffic.
    node.traffic(emailOf(alice), 3n, 0n);
    node.traffic(emailOf(bob), 7_000n, 0n);
    const known = node.lastRevision;
    expect(node.users.size).toBe(2);

    await replaceBy(file, () => node);
    const carol = await installation.fixture.createUser('carol', group);
    node.calls.length = 0;
    await installation.start();
    await installation.untilUsed(alice, 1_023);
    await until((saw) => saw(node.acknowledged.at(-1)?.[1]) === 4n);
    expect(await installation.fixture.usedTraffic(alice)).toBe(1_023);
    expect(carol.id).toBeGreaterThan(1_000_000);
    expect(await installation.fixture.usedTraffic(carol)).toBe(0);
    // One Start with a revision above all that the node knows brings it to the restored users.
    expect(node.calls.filter((call) => call === 'start')).toHaveLength(1);
    expect(node.starts.at(-1)?.revision).toBeGreaterThan(known);
    expect([...node.users.keys()].sort()).toEqual([emailOf(alice), emailOf(carol)].sort());
    const dave = await installation.fixture.createUser('dave', group);
    await until((saw) => saw(node.users).has(emailOf(dave)));
  });

  describe.each(['grpc', 'rest'] as const)('of another implementation over %s', (wire) => {
    let node: ReferenceNode;
    let open: () => NodeClient;
    let backup: string;

    beforeEach(async () => {
      const certificate = await selfSigned({ names: ['127.0.0.1'] });
      node = new ReferenceNode(wire, certificate);
      const port = await node.listen();
      const tls = { ca: certificate.cert };
      open = () =>
        createNodeClient({ transport: wire, host: '127.0.0.1', port, apiKey: REFERENCE_KEY, tls, timeoutMs: 5_000 });
      await install(open);
      node.core.uptime = 100;
      node.traffic(emailOf(alice), 600n, 400n);
      await installation.untilUsed(alice, 1_000);
      backup = await backUpTwoDaysAgo();
    });
    afterEach(() => node.close());

    /** Loses the installation, restores the backup, and waits until a restored node was read many times. */
    async function replace(): Promise<User> {
      await installation.stop();
      await replaceBy(backup, open);
      const carol = await installation.fixture.createUser('carol', group);
      const { starts } = node.core;
      await installation.start();
      await until((saw) => saw(node.core.starts) === starts + 1);
      const calls = node.calls.length;
      await until((saw) => saw(node.calls.slice(calls)).filter((call) => call === 'GET /stats').length > 6);
      return carol;
    }

    it('a node of another implementation has the growth of its counters since the backup counted once, and none for a new user', async () => {
      const bob = await installation.fixture.createUser('bob', group);
      await until((saw) => saw(node.users).has(emailOf(bob)));
      node.core.uptime = 170_000;
      node.traffic(emailOf(alice), 0n, 500n);
      await installation.untilUsed(alice, 1_500);
      await installation.stop();
      node.traffic(emailOf(alice), 3n, 0n);
      node.traffic(emailOf(bob), 7_000n, 0n);
      const carol = await replace();
      expect(await installation.fixture.usedTraffic(alice)).toBe(1_503);
      expect(await installation.fixture.usedTraffic(carol)).toBe(0);
      expect([...node.users.keys()].sort()).toEqual([emailOf(alice), emailOf(carol)].sort());
    });

    it('a node of another implementation has no byte counted twice when its engine was restarted after the backup', async () => {
      node.restartEngine();
      node.core.uptime = 170_000;
      node.traffic(emailOf(alice), 3n, 500n);
      await replace();
      // The counters may be those of the engine before, which then have grown by 100 only in one direction.
      expect(await installation.fixture.usedTraffic(alice)).toBe(1_103);
    });
  });
});
