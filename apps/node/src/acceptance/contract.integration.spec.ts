import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Backend,
  EncodedUsers,
  type NodeClient,
  StatType,
  type TrafficBatch,
  type User,
} from '@rampart/node-client';
import {
  type EngineClient,
  engineVersion,
  eventually,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import { vlessOutbound } from '../testing/clients/client-outbounds.js';
import { failureOf } from '../testing/failure.js';
import { ContractNodeFixture, TRANSPORTS } from '../testing/nodes/contract-node.js';

const PAGE = 'rampart '.repeat(25_000);

// The same suite runs over all transports: it is what an integrator may rely on.
describe.each(TRANSPORTS)('the node, over %s', (...door) => {
  let at: ContractNodeFixture;
  let client: NodeClient;
  let backend: Backend;
  let ann: User;
  let web: LocalWeb;
  let proxy: EngineClient;
  const fetchPage = (): Promise<string> => proxy.fetch(web.url);
  const user: ContractNodeFixture['user'] = (...given) => at.user(...given);
  const fails: ContractNodeFixture['fails'] = (...given) => at.fails(...given);

  beforeAll(async () => {
    web = await startLocalWeb(PAGE);
    at = await ContractNodeFixture.open(door);
    ({ client, backend, ann } = at);
    proxy = await startEngineClient(vlessOutbound(at.inboundPort, at.id));
  });
  afterAll(() => Promise.all([at.close(), proxy.close(), web.close()]));

  describe('after Start', () => {
    it('Start runs the engine', async () => {
      const info = await client.start({ ...backend, users: [user('2.bob')] });
      expect(info).toMatchObject({ running: true, coreVersion: engineVersion(), coreType: 'xray', refused: [] });
      expect(await client.info()).toEqual({ ...info, timeMs: expect.any(BigInt) });
      await expect(fetchPage()).rejects.toThrow();
    });

    it('SyncUser adds a user', async () => {
      await client.syncUser([ann]);
      expect(await fetchPage()).toEqual(PAGE);
    });

    it('user statistics count the transferred bytes', async () => {
      let downlink = 0n;
      await eventually('the page is counted', async () => {
        const { stats } = await client.stats({ type: StatType.UserStat, name: '1.ann' });
        expect(stats.map(({ name, link, type }) => `${name} ${link} ${type}`)).toEqual(
          stats.length === 0 ? [] : ['1.ann traffic uplink', '1.ann traffic downlink'],
        );
        downlink = stats.at(-1)?.value ?? 0n;
        return downlink >= BigInt(PAGE.length);
      });
      expect(downlink).toBeLessThan(BigInt(PAGE.length + 10_000));
    });

    it('GetStats with reset clears a counter after reading it', async () => {
      const request = { type: StatType.UserStat, name: '1.ann', reset: true };
      expect((await client.stats(request)).stats.at(-1)?.value).toBeGreaterThan(0n);
      const { stats } = await client.stats(request);
      expect(stats.filter(({ value }) => value > 0n)).toEqual([]);
    });

    it('GetStats has all types of counters, and none of an unknown user', async () => {
      const { stats } = await client.stats({ type: StatType.Inbounds });
      expect(new Set(stats.map(({ name }) => name))).toEqual(new Set(['vless']));
      expect(await client.stats({ type: StatType.UserStat, name: '9.nobody' })).toEqual({ stats: [] });
    });

    it.each([
      [{ type: StatType.UserStat }, 'name is missing: UserStat needs the email'],
      [{ type: StatType.Inbound }, 'name is missing: Inbound needs the tag'],
      [{ type: 6 as StatType }, 'type 6 is not a statistic; use 0 to 5'],
    ])('GetStats refuses %j', (request, message) => fails(client.stats(request), 'INVALID_ARGUMENT', message));

    it('system statistics describe the machine', async () => {
      const stats = await client.systemStats();
      expect(stats.memTotal).toBeGreaterThan(stats.memUsed);
      expect(stats.memUsed).toBeGreaterThan(1_000_000n);
      expect(stats.cpuCores).toBeGreaterThan(0n);
      expect(stats.cpuUsage).toBeGreaterThanOrEqual(0);
      expect(stats.cpuUsage).toBeLessThanOrEqual(100);
    });

    it('system and backend statistics have the uptime of the engine', async () => {
      await eventually('a second has passed', async (saw) => saw(await client.backendStats()).uptime > 0);
      const stats = await client.backendStats();
      expect(stats.numGoroutine).toBeGreaterThan(0);
      expect(stats.sys).toBeGreaterThan(stats.alloc);
      expect(stats.mallocs - stats.frees).toBe(stats.liveObjects);
      expect((await client.systemStats()).uptime).toBeGreaterThanOrEqual(BigInt(stats.uptime));
    });

    it('online statistics of a user who never connected are empty, and a missing name is refused', async () => {
      expect(await client.userOnline('9.nobody')).toEqual({ name: '9.nobody', value: 0n });
      expect(await client.userOnlineIps('9.nobody')).toEqual({ name: '9.nobody', ips: {} });
      const message = 'name is missing: online statistics need the email';
      await fails(client.userOnline(''), 'INVALID_ARGUMENT', message);
      await fails(client.userOnlineIps(''), 'INVALID_ARGUMENT', message);
      expect(await client.onlineUsers()).toEqual({ emails: [] });
    });

    it('latency is unavailable without an observatory', () =>
      fails(
        client.latencies(),
        'LATENCY_UNAVAILABLE',
        'xray outbound latency is not available: the configuration has no observatory',
      ));

    it('CollectTraffic repeats a batch until it is acknowledged', async () => {
      const first = await client.collectTraffic({});
      const carried = first.users.find(({ email }) => email === '1.ann');
      expect(first.number).toBe(1n);
      expect(carried?.downlink).toBeGreaterThanOrEqual(BigInt(PAGE.length));
      expect(first.inbounds.map(({ tag }) => tag)).toEqual(['vless']);
      await fetchPage();
      expect(await client.collectTraffic({})).toEqual(first);
      expect(await client.collectTraffic({ ledger: 'another', acknowledge: 1n })).toEqual(first);

      let second: TrafficBatch = first;
      const seen: bigint[] = [];
      await eventually('the second page is collected', async () => {
        second = await client.collectTraffic({ ledger: second.ledger, acknowledge: second.number });
        const bytes = second.users.find(({ email }) => email === '1.ann')?.downlink ?? 0n;
        seen.push(bytes);
        return seen.reduce((sum, value) => sum + value, 0n) >= BigInt(PAGE.length);
      });
      expect(second.ledger).toBe(first.ledger);
      expect(seen.reduce((sum, value) => sum + value, 0n)).toBeLessThan(BigInt(PAGE.length + 10_000));
    });

    it('a refused user is named, and all others are applied', async () => {
      const wrong = user('3.cid', { uuid: 'no UUID' });
      const failure = await failureOf(client.syncUser([user('4.dan'), wrong, user('5.eve')]));
      expect(failure).toMatchObject({ code: 'USERS_REFUSED', retryable: false });
      expect(failure.message).toMatch(/^1 user refused: "3\.cid" \(.+\)$/);
      const { refused } = await client.info();
      expect(refused.map(({ email }) => email)).toEqual(['3.cid']);
      expect(await fetchPage()).toEqual(PAGE);
    });

    it('several refused users are named in one error', async () => {
      const wrong = ['3.cid', '6.fay'].map((email) => user(email, { uuid: 'no UUID' }));
      const failure = await failureOf(client.syncUser([wrong[0]!, user('5.eve'), wrong[1]!]));
      expect(failure.message).toMatch(/^2 users refused: "3\.cid" \(.+\), "6\.fay" \(.+\)$/);
    });

    it('a user may have an unknown inbound tag', async () => {
      await expect(client.syncUser([user('7.gus', { inbounds: ['of-later'] })])).resolves.toBeUndefined();
    });

    it('a user without inbounds is removed', async () => {
      await client.syncUser([{ ...ann, inbounds: [] }]);
      await expect(fetchPage()).rejects.toThrow();
    });

    it('SyncUsers makes the users exactly the given ones', async () => {
      await client.syncUsers({ users: [ann] });
      expect(await fetchPage()).toEqual(PAGE);
      await client.syncUsers({ users: [user('2.bob')] });
      await expect(fetchPage()).rejects.toThrow();
      expect(await client.info()).toMatchObject({ running: true, refused: [] });
    });

    it('security row 25: a late SyncUsers does not bring a removed user back', async () => {
      await client.syncUsers({ users: [ann], revision: 10n });
      await client.syncUser([{ ...ann, inbounds: [], revision: 12n }]);
      await fails(
        client.syncUsers({ users: [ann], revision: 11n }),
        'STALE_REVISION',
        'revision 11 is older than 12, the last one applied',
      );
      await expect(fetchPage()).rejects.toThrow();
      await client.start({ ...backend, users: [user('2.bob')], revision: 13n });
    });

    it('SyncUser takes a stream of users', async () => {
      async function* all(): AsyncGenerator<User> {
        for (let index = 0; index < 300; index += 1) yield user(`${100 + index}.many`);
        yield ann;
      }
      await client.syncUser(all());
      expect(await fetchPage()).toEqual(PAGE);
    });

    it('SyncUsersChunked changes only the users in its chunks', async () => {
      const many = Array.from({ length: 25 }, (_, index) => user(`${500 + index}.many`));
      await client.syncUsersChunked([{ ...ann, inbounds: [] }, ...many], { chunkSize: 10 });
      await expect(fetchPage()).rejects.toThrow();
      await client.syncUsersChunked([ann], { chunkSize: 10 });
      expect(await fetchPage()).toEqual(PAGE);
      expect((await client.info()).usersCount).toBeGreaterThan(300n);
    });

    it('SyncUsersChunked takes users that were encoded once, and names those that it refuses', async () => {
      const encoded = EncodedUsers.forChanges();
      for (const one of [ann, { ...user('900.bad'), proxies: { vless: { id: 'no uuid' } } }]) encoded.add(one);
      const failure = await failureOf(client.syncUsersChunked(encoded));
      expect(failure).toMatchObject({ code: 'USERS_REFUSED', refused: [{ email: '900.bad' }] });
      expect(await fetchPage()).toEqual(PAGE);
    });

    it('an error of the source of users is passed on', async () => {
      // biome-ignore lint/correctness/useYield: it fails before its first user
      async function* broken(): AsyncGenerator<User> {
        throw new Error('the source broke');
      }
      await expect(client.syncUser(broken())).rejects.toThrow('the source broke');
    });

    it('an invalid configuration is refused, and the previous one keeps running', async () => {
      const failure = await failureOf(client.start({ ...backend, config: '{"inbounds": 7}' }));
      expect(failure.code).toBe('CONFIG_REFUSED');
      expect(await client.info()).toMatchObject({ running: true });
      expect(await fetchPage()).toEqual(PAGE);
    });

    it('a Start with the same configuration replaces only the users', async () => {
      await client.start({ ...backend, users: [user('2.bob')] });
      await expect(fetchPage()).rejects.toThrow();
      await client.start({ ...backend, users: [ann] });
      expect(await fetchPage()).toEqual(PAGE);
    });

    it('GetLogs sends kept lines, then new ones', async () => {
      const seen: string[] = [];
      for await (const { detail } of client.logs()) {
        seen.push(detail);
        if (detail.includes('1.ann')) break;
      }
      expect(seen.some((line) => line.includes(`Xray ${engineVersion()}`))).toBe(true);
      const leave = new AbortController();
      const read = (async () => {
        for await (const { detail } of client.logs({ signal: leave.signal })) seen.push(detail);
      })();
      const before = seen.length;
      await eventually('the log is open', (saw) => saw(seen).length > before);
      leave.abort();
      await expect(read).resolves.toBeUndefined();
    });

    it('a cancelled call does not disturb the node', async () => {
      const leave = new AbortController();
      const call = failureOf(client.syncUsers({ users: [ann] }, { signal: leave.signal }));
      leave.abort();
      expect(await call).toMatchObject({ code: 'CANCELLED', retryable: false });
      expect(await client.info()).toMatchObject({ running: true });
    });
  });

  describe('after Stop', () => {
    it('no engine runs after Stop', async () => {
      await client.stop();
      expect(await client.info()).toMatchObject({ running: false, refused: [] });
      await expect(fetchPage()).rejects.toThrow();
    });

    it('a stopped node refuses every call that needs a backend', () => at.refusesWithoutBackend());

    it('a stopped node can be started again', async () => {
      expect(await client.start({ ...backend, users: [ann] })).toMatchObject({ running: true });
      expect(await fetchPage()).toEqual(PAGE);
    });
  });
});
