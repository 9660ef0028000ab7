import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { NodeClientError, User as WireUser } from '@rampart/node-client';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { nextRevision } from '../../database/revision.js';
import { Group } from '../../groups/group.entity.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import { User } from '../../user-store/entities/user.entity.js';
import { UserProxySettings } from '../../user-store/entities/user-proxy-settings.entity.js';
import { UserRevision } from '../../user-store/entities/user-revision.entity.js';
import { raiseRevisionOf } from '../../user-store/served/raise-revision.js';
import { Node } from '../store/node.entity.js';
import { NodeDouble } from '../testing/node-double.js';
import { INBOUND_TAG, NodeFixture, QUICK_TIMING } from '../testing/node-fixture.js';
import { NodeSyncWorker } from './node-sync.worker.js';
import { StartLimiter } from './start-limiter.js';

const emailOf = ({ id, username }: User): string => nodeEmail(id, username);

describe(NodeSyncWorker.name, () => {
  let database: DataSource;
  let fixture: NodeFixture;
  let group: Group;
  let alice: User;
  let node: NodeDouble;
  let row: Node;
  let worker: NodeSyncWorker | undefined;

  beforeEach(async () => {
    database = await createMigratedDatabase();
    fixture = new NodeFixture(database);
    group = await fixture.createGroup();
    alice = await fixture.createUser('alice', group);
    node = new NodeDouble();
    row = await fixture.createNode();
  });

  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
  });

  function serve(timing = QUICK_TIMING): NodeSyncWorker {
    worker = new NodeSyncWorker(row.id, fixture.context(node), timing);
    return worker;
  }

  const status = async () => {
    const { status, message } = await fixture.readNode(row.id);
    return { status, message };
  };
  const reaches = (wanted: string) => until(async (saw) => saw(await status()).status === wanted);
  const synced = (revision: bigint) =>
    until(async (saw) => saw(await fixture.readNode(row.id)).syncedRevision >= revision);

  describe('start', () => {
    it('NodeSyncWorker reports REALITY inbounds for which a newer engine refuses some clients', async () => {
      const settings = {
        privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
        shortIds: [''],
        serverNames: ['r'],
      };
      const streamSettings = { security: 'reality', realitySettings: { ...settings, target: 443 } };
      const inbounds = ['one', 'two'].map((tag, at) => ({ tag, protocol: 'vless', port: 1_000 + at, streamSettings }));
      await fixture.changeCore({ inbounds });
      serve();
      await reaches('connected');
      expect((await status()).message).toBeNull();
      const sent = JSON.parse(node.starts[0]!.config).inbounds[0].streamSettings.realitySettings;
      expect(sent).toMatchObject({ minClientVer: '1.0.0' });

      node.coreVersion = '26.9.8';
      await until(async (saw) => saw(await status()).message !== null);
      expect(await status()).toEqual({
        status: 'connected',
        message:
          'engine 26.9.8 takes only clients with an X25519MLKEM768 key share on inbounds one, two: sing-box, Karing, Shadowrocket and Exclave have none, Xray and mihomo have one with the fingerprint chrome',
      });
    });

    it('NodeSyncWorker sends the configuration, every served user and the revision at which they were read', async () => {
      const bob = await fixture.createUser('bob', await fixture.createGroup([`${INBOUND_TAG}<=>parent`, 'other']));
      await fixture.changeUser(await fixture.createUser('disabled', group), { status: 'disabled' });
      await fixture.createUsers(['without-group'], await fixture.createGroup([]));
      serve();
      await reaches('connected');

      const [start] = node.starts;
      expect(start).toMatchObject({ type: 0, keepAlive: 60n, excludeInbounds: [], revision: 5n });
      expect(start).toMatchObject({ privateNetworks: { allowed: [] } });
      expect(JSON.parse(start!.config).inbounds.map(({ tag }: { tag: string }) => tag)).toEqual([INBOUND_TAG]);
      expect(start!.users.map(({ email, inbounds, revision }) => ({ email, inbounds, revision }))).toEqual([
        { email: emailOf(alice), inbounds: [INBOUND_TAG], revision: 1n },
        { email: emailOf(bob), inbounds: [INBOUND_TAG], revision: 2n },
      ]);
      const { proxySettings } = await database.manager.findOneByOrFail(UserProxySettings, { userId: alice.id });
      expect(start!.users[0]!.proxies).toEqual({ shadowsocks: proxySettings.shadowsocks });
      expect(await fixture.readNode(row.id)).toMatchObject({
        status: 'connected',
        message: null,
        coreVersion: '26.3.27',
        nodeVersion: '0.1.0',
        syncedRevision: 5n,
      });
    });

    it('NodeSyncWorker reports why a Start fails, retries and recovers', async () => {
      for (let n = 0; n < 2; n += 1) node.fail('start', 'before', 'CONFIG_REFUSED', 'the engine says no');
      serve({ ...QUICK_TIMING, firstRetryDelayMs: 100 });
      await reaches('error');
      expect(await status()).toEqual({ status: 'error', message: 'the engine says no' });
      await reaches('connected');
      expect((await status()).message).toBeNull();
    });

    it('NodeSyncWorker takes no place in the start limiter for a node that does not answer', async () => {
      node.fail('info', 'before', 'TIMEOUT', 'no answer in time');
      const full = new StartLimiter();
      const leave: (() => void)[] = [];
      const stay = () => new Promise<void>((resolve) => leave.push(resolve));
      const others = [1001, 1002, 1003, 1004].map((id) => full.run(id, node, stay, new AbortController().signal));
      worker = new NodeSyncWorker(row.id, { ...fixture.context(node), startLimiter: full }, QUICK_TIMING);
      await reaches('error');
      expect((await status()).message).toBe('no answer in time');
      await until((saw) => saw(node.calls).length === 2);
      expect(node.starts).toEqual([]);
      for (const other of leave) other();
      await Promise.all(others);
      await reaches('connected');
    });

    it('NodeSyncWorker reports a node without a core', async () => {
      await database.manager.update(Node, { id: row.id }, { coreConfigId: null });
      serve();
      await reaches('error');
      expect((await status()).message).toBe('it has no core configuration: choose one');
      expect(node.starts).toEqual([]);
    });

    it('NodeSyncWorker reports users that the engine refuses, and serves the others', async () => {
      const bob = await fixture.createUser('bob', group);
      node.poison.set(emailOf(alice), 'bad key');
      serve();
      await reaches('connected');
      expect((await status()).message).toBe(`1 users refused: ${emailOf(alice)} (bad key)`);
      expect([...node.users.keys()]).toEqual([emailOf(bob)]);
    });

    it('security row 89: NodeSyncWorker reads, keeps and shows as refused only users whom the node was sent, each once', async () => {
      await fixture.createUser('bob', group);
      const carol = await fixture.createUser('carol', await fixture.createGroup(['another inbound']));
      node.poison.set(emailOf(alice), 'bad key');
      node.madeUp = Array.from({ length: 249_000 }, (_, at) => ({ email: `${1_000 + at}.x`, reason: 'made up' }));
      node.madeUp.push({ email: emailOf(carol), reason: 'a guess' }, { email: emailOf(alice), reason: 'again' });
      serve();
      await reaches('connected');
      expect((await status()).message).toBe(`1 users refused: ${emailOf(alice)} (bad key)`);
      expect(worker?.figures.refusedUsers).toBe(1);
      const checks = node.refusedLimits.length;
      await until((saw) => saw(node.refusedLimits).length > checks);
      // The first call is before anything was sent, the second one is the Start.
      expect(node.refusedLimits.slice(0, 3)).toEqual([0, 2, 2]);
      expect(new Set(node.refusedLimits)).toEqual(new Set([0, 2]));
    });

    it('NodeSyncWorker reports the warnings of the node', async () => {
      node.warnings = ['the configuration with its users is not on disk'];
      serve();
      await reaches('connected');
      expect((await status()).message).toBe('the configuration with its users is not on disk');
    });

    it('security row 131: NodeSyncWorker shows a node as connected whose engine is too busy to report its traffic', async () => {
      serve();
      await reaches('connected');
      const collectTraffic = node.collectTraffic.bind(node);
      node.collectTraffic = () =>
        Promise.reject(new NodeClientError('ENGINE_NOT_ANSWERING', 'the engine did not report its traffic'));
      node.warnings = ['the engine is busy'];
      const message = 'its traffic could not be read: the engine did not report its traffic\nthe engine is busy';
      await until(async (saw) => saw(await status()).message === message);
      expect(await status()).toEqual({ status: 'connected', message });
      await synced(await fixture.changeUser(alice, { status: 'disabled' }));
      node.collectTraffic = collectTraffic;
      node.warnings = [];
      await until(async (saw) => saw(await status()).message === null);
      expect([(await status()).status, node.starts.length, node.closed]).toEqual(['connected', 1, 0]);
    });

    it('NodeSyncWorker serves the other users when the stored credentials of one are damaged', async () => {
      await database.query(
        `UPDATE user_proxy_settings SET proxy_settings = '{"shadowsocks": null}' WHERE user_id = $1`,
        [alice.id],
      );
      const bob = await fixture.createUser('bob', group);
      serve();
      await reaches('connected');
      const users = node.starts[0]!.users.map((user) => WireUser.decode(WireUser.encode(user).finish()));
      const { proxySettings } = await database.manager.findOneByOrFail(UserProxySettings, { userId: bob.id });
      expect(users.map(({ email, proxies }) => [email, proxies?.shadowsocks?.password])).toEqual([
        [emailOf(alice), ''],
        [emailOf(bob), proxySettings.shadowsocks.password],
      ]);
    });

    it('NodeSyncWorker does not report the message of an internal error', async () => {
      node.start = () => Promise.reject(new TypeError('secret internals'));
      serve();
      await reaches('error');
      expect((await status()).message).toBe('management failed to work on this node: its log says why');
    });
  });

  describe('changes', () => {
    it('NodeSyncWorker sends an added, a changed and removed users in their order, without another Start', async () => {
      serve();
      await reaches('connected');
      const bob = await fixture.createUser('bob', group);
      await synced(2n);
      await fixture.changeUser(alice, { status: 'disabled' });
      await fixture.deleteUser(bob);
      await synced(4n);
      expect(node.synced.map(({ email, inbounds, revision }) => [email, inbounds, revision])).toEqual([
        [emailOf(bob), [INBOUND_TAG], 2n],
        [emailOf(alice), [], 3n],
        [emailOf(bob), [], 4n],
      ]);
      expect(node.users.size).toBe(0);
      await synced(await fixture.changeUser(alice, { status: 'active' }));
      expect([...node.users.keys()]).toEqual([emailOf(alice)]);
      expect(node.starts).toHaveLength(1);
    });

    it('NodeSyncWorker sends a revision of many users in batches, and stores it as synced after the last batch', async () => {
      serve();
      await reaches('connected');
      node.fail('syncUser', 'before', 'TIMEOUT');
      const many = await fixture.createUsers(
        Array.from({ length: 2_500 }, (_, n) => `user${n}`),
        group,
      );
      const sizes: number[] = [];
      const positions: bigint[] = [];
      const sync = node.syncUser.bind(node);
      node.syncUser = async (users) => {
        const batch = [...users];
        sizes.push(batch.length);
        positions.push((await fixture.readNode(row.id)).syncedRevision);
        return sync(batch);
      };
      await synced(2n);
      expect(sizes.slice(-3)).toEqual([1_000, 1_000, 500]);
      expect(new Set(positions)).toEqual(new Set([1n]));
      expect(node.users.size).toBe(2_501);
      expect(node.synced.map(({ email }) => email)).toEqual(many.map(emailOf));
    });

    it('NodeSyncWorker waits for the answer to a batch as long as its users may take, so not long for few of them', async () => {
      serve();
      await reaches('connected');
      await fixture.createUser('bob', group);
      await synced(2n);
      const names = Array.from({ length: 1_500 }, (_, n) => `user${n}`);
      await fixture.createUsers(names, group);
      await synced(3n);
      expect(node.syncTimeouts).toEqual([15_100, 115_000, 65_000]);
    });

    it('NodeSyncWorker repeats a batch that was not answered, and continues from there', async () => {
      serve();
      await reaches('connected');
      node.fail('syncUser', 'after');
      node.fail('syncUser', 'before');
      const bob = await fixture.createUser('bob', group);
      const carol = await fixture.createUser('carol', group);
      await synced(3n);
      expect([...node.users.keys()]).toEqual([emailOf(alice), emailOf(bob), emailOf(carol)]);
      expect(node.starts).toHaveLength(1);
      await reaches('connected');
    });

    it('NodeSyncWorker sends the other users when one is refused, and clears the message when that user is accepted', async () => {
      serve();
      await reaches('connected');
      node.poison.set(emailOf(alice), 'bad key');
      await fixture.changeUser(alice, { note: 'poisoned' });
      const bob = await fixture.createUser('bob', group);
      await until((saw) => saw(node.users).has(emailOf(bob)));
      await until(async (saw) => saw(await status()).message === `1 users refused: ${emailOf(alice)} (bad key)`);
      node.poison.clear();
      await fixture.changeUser(alice, { note: 'changed' });
      await until(async (saw) => saw(await status()).message === null);
      expect((await status()).status).toBe('connected');
    });

    it('NodeSyncWorker loses no revision of transactions that run at the same time', async () => {
      serve();
      await reaches('connected');
      const users = await fixture.createUsers(
        Array.from({ length: 40 }, (_, n) => `user${n}`),
        group,
      );
      await Promise.all(
        users.flatMap((user) =>
          [1, 2].map((n) => fixture.changeUser(user, { note: `change ${n}` }).then(() => worker?.wake())),
        ),
      );
      const last = await database.transaction((manager) => nextRevision(manager));
      await synced(last - 1n);
      const revisions = node.synced.map(({ revision }) => revision);
      expect(revisions).toEqual([...revisions].sort((a, b) => Number(a - b)));
      const stored = await database.manager.find(UserRevision);
      const emails = new Map((await database.manager.find(User)).map((user) => [user.id, emailOf(user)]));
      expect(new Map([...node.users].map(([email, { revision }]) => [email, revision]))).toEqual(
        new Map(stored.map(({ userId, revision }) => [emails.get(userId), revision])),
      );
    });

    it('NodeSyncWorker cannot see a higher revision before a lower one', async () => {
      serve();
      await reaches('connected');
      const [bob, carol] = (await fixture.createUsers(['bob', 'carol'], group)) as [User, User];
      await synced(2n);
      node.synced.length = 0;
      let higher: Promise<bigint> | undefined;
      await database.transaction(async (manager) => {
        const revision = await nextRevision(manager);
        higher = fixture.changeUser(carol, { note: 'higher' });
        await until(async () => {
          const [row] = await database.query(
            `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
          );
          return row.n > 0;
        });
        worker?.wake();
        await raiseRevisionOf(manager, revision, [bob.id]);
      });
      await synced((await higher)!);
      expect(node.synced.map(({ email, revision }) => [email, revision])).toEqual([
        [emailOf(bob), 3n],
        [emailOf(carol), 4n],
      ]);
    });
  });

  describe('health', () => {
    it('NodeSyncWorker starts a node that has restarted, and collects from its new ledger', async () => {
      serve();
      await reaches('connected');
      node.traffic(emailOf(alice), 3n, 4n);
      await until(async (saw) => saw(await fixture.usedTraffic(alice)) === 7);
      node.restart('ledger-2');
      await until((saw) => saw(node.starts).length === 2);
      await until((saw) => saw(node.users).has(emailOf(alice)));
      node.traffic(emailOf(alice), 1n, 1n);
      await until(async (saw) => saw(await fixture.usedTraffic(alice)) === 9);
      await reaches('connected');
    });

    it('NodeSyncWorker starts a node at once whose engine does not run, and reports no error', async () => {
      serve({ ...QUICK_TIMING, healthMs: 60_000, firstRetryDelayMs: 60_000 });
      await reaches('connected');
      node.restart('ledger-2');
      const bob = await fixture.createUser('bob', group);
      await until((saw) => saw(node.users).has(emailOf(bob)));
      expect(node.starts).toHaveLength(2);
      expect((await status()).status).toBe('connected');
    });

    it('NodeSyncWorker skips the revisions that a node knows from before the database was restored', async () => {
      node.lastRevision = 2_500_000n;
      serve();
      await reaches('connected');
      expect(node.starts.map(({ revision }) => revision)).toEqual([3_000_001n]);
      const bob = await fixture.createUser('bob', group);
      await synced(3_000_002n);
      expect(node.users.has(emailOf(bob))).toBe(true);
    });

    it('NodeSyncWorker starts a node again with all users when it knows a later revision', async () => {
      serve({ ...QUICK_TIMING, healthMs: 60_000, firstRetryDelayMs: 60_000 });
      await reaches('connected');
      node.lastRevision = 100n;
      node.users.clear();
      const bob = await fixture.createUser('bob', group);
      await until((saw) => saw(node.starts).length === 2);
      expect([...node.users.keys()]).toEqual([emailOf(alice), emailOf(bob)]);
      await reaches('connected');
    });

    it('NodeSyncWorker does not start a node because a health check got no answer', async () => {
      serve();
      await reaches('connected');
      for (let n = 0; n < 3; n += 1) node.fail('info', 'before', 'TIMEOUT', 'no answer in time');
      await reaches('error');
      expect((await status()).message).toBe('no answer in time');
      await reaches('connected');
      expect(node.starts).toHaveLength(1);
    });

    it('NodeSyncWorker calls over a new connection after a call without an answer, since the network may be another one', async () => {
      serve();
      await reaches('connected');
      node.fail('syncUser', 'before', 'TIMEOUT', 'no answer in time');
      await synced(await fixture.changeUser(alice, { status: 'disabled' }));
      expect([node.closed, node.starts.length]).toEqual([1, 1]);
    });

    it('NodeSyncWorker continues after a database outage', async () => {
      serve();
      await reaches('connected');
      await database
        .query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
        )
        .catch(() => undefined);
      const bob = await fixture.createUser('bob', group);
      await until((saw) => saw(node.users).has(emailOf(bob)));
      await reaches('connected');
    });
  });

  it('leaves the engine running and closes the connection when it stops', async () => {
    serve();
    await reaches('connected');
    await worker?.stop();
    expect([node.running, node.stops, node.users.size]).toEqual([true, 0, 1]);
    expect(node.closed).toBeGreaterThan(0);
    const calls = node.calls.length;
    await fixture.createUser('bob', group);
    worker?.wake();
    expect(node.calls.length).toBe(calls);
  });

  it('takes over from another worker with the same configuration and acknowledges its last batch', async () => {
    serve();
    await reaches('connected');
    node.traffic(emailOf(alice), 3n, 4n);
    await until(async (saw) => saw(await fixture.usedTraffic(alice)) === 7);
    await worker?.stop();
    node.acknowledged.length = 0;
    serve();
    await until((saw) => saw(node.acknowledged).length > 0);
    expect(node.starts[1]).toEqual(node.starts[0]);
    expect(node.acknowledged[0]).toEqual(['ledger-1', 1n]);
    expect(await fixture.usedTraffic(alice)).toBe(7);
  });
});
