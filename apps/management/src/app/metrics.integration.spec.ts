import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { ProgramMetrics } from '@rampart/program';
import { until } from '@rampart/testing';
import { NodeSyncManager } from '../nodes/sync/node-sync-manager.js';
import { NodeTiming } from '../nodes/sync/node-timing.js';
import { ManagementWithNodeDoubles } from '../nodes/testing/management-with-node-doubles.js';
import type { NodeDouble } from '../nodes/testing/node-double.js';
import { QUICK_TIMING } from '../nodes/testing/node-fixture.js';
import { DatabaseProxy } from '../testing/database-proxy.js';
import { createDatabase } from '../testing/migrated-database.js';
import { TestManagement } from '../testing/test-management.js';

/** The lines with figures of the metrics that begin so, by their labels. */
async function samples({ app }: TestManagement, prefix: string): Promise<Record<string, number>> {
  const text = await app.get(ProgramMetrics).text();
  const lines = text.split('\n').filter((line) => line.startsWith(prefix));
  return Object.fromEntries(
    lines.map((line) => [line.slice(prefix.length, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

describe('the metrics of management', () => {
  let nodes: ManagementWithNodeDoubles;
  let management: TestManagement;
  let token: string;

  const fetchAs = (path: string, userAgent: string, accept = '*/*') =>
    management.app.inject({ method: 'GET', url: path, headers: { 'user-agent': userAgent, accept } });

  beforeAll(async () => {
    nodes = await ManagementWithNodeDoubles.start({ RAMPART_METRICS_PORT: '0' });
    ({ management } = nodes);
    Object.assign(management.app.get(NodeTiming), QUICK_TIMING, { compareMs: 20 });
    const { body: group } = await management.call('POST', '/api/group', {
      name: 'all',
      inbound_tags: ['Shadowsocks TCP'],
    });
    const { body } = await management.call('POST', '/api/user', { username: 'alice', group_ids: [Object(group).id] });
    token = String(Object(body).subscription_url).split('/').at(-1) ?? '';
  });

  afterAll(() => nodes.close());

  it('subscriptions are counted by format and family of clients', async () => {
    await fetchAs(`/sub/${token}`, 'v2rayNG/1.10.5');
    await fetchAs(`/sub/${token}`, 'v2rayNG/1.10.6');
    await fetchAs(`/sub/${token}`, 'mihomo/1.19');
    await fetchAs(`/sub/${token}`, 'Mozilla/5.0', 'text/html');
    await fetchAs(`/sub/${token}/xray`, '');
    await fetchAs('/sub/nobody', 'v2rayNG/1.10.6');
    expect(await samples(management, 'rampart_subscriptions_total')).toEqual({
      '{format="links_base64",client="v2rayng"}': 2,
      '{format="clash_meta",client="mihomo"}': 1,
      '{format="page",client="browser"}': 1,
      '{format="xray",client="none"}': 1,
    });
  });

  it('strangers, users and paths make no new series, whatever they send', async () => {
    const strange = (turn: number) =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) => [
          fetchAs(`/sub/${token}`, `client-${turn}-${index}/1.0`),
          fetchAs(`/sub/unknown-${turn}-${index}`, 'x'),
          fetchAs(`/nothing/${turn}/${index}`, 'x'),
          management.call('GET', `/api/user/nobody-${turn}-${index}`),
        ]).flat(),
      );
    const count = async () => Object.keys(await samples(management, 'rampart_')).sort();
    await strange(0);
    const before = await count();
    await strange(1);
    expect(await count()).toEqual(before);
    const text = await management.app.get(ProgramMetrics).text();
    expect(text).not.toContain('alice');
    expect(text).not.toContain(token);
    expect(text).not.toContain('nobody');
    expect(text).not.toContain('client-');
  });

  it('durations of requests are by route pattern, method and class of the status', async () => {
    await management.call('GET', '/api/user/alice');
    await management.call('GET', '/api/user/bob');
    const counts = await samples(management, 'rampart_http_request_duration_seconds_count');
    expect(counts).toMatchObject({
      '{route="/api/user/:username",method="GET",status="2xx"}': 1,
      '{route="/sub/:token",method="GET",status="4xx"}': expect.any(Number),
      '{route="unknown",method="GET",status="4xx"}': 40,
    });
  });

  it('users are counted by status, and at most every 30 seconds', async () => {
    const before = await samples(management, 'rampart_users');
    expect(before).toEqual({
      '{status="active"}': 1,
      '{status="disabled"}': 0,
      '{status="limited"}': 0,
      '{status="expired"}': 0,
      '{status="on_hold"}': 0,
    });
    expect(await samples(management, 'rampart_online_users')).toEqual({ '': 0 });
  });

  it('connections to the database are told by pool, with their limit', async () => {
    expect(await samples(management, 'rampart_database_connections_limit')).toEqual({
      '{pool="writes"}': 6,
      '{pool="reads"}': 10,
      '{pool="subscriptions"}': 4,
    });
    const open = await samples(management, 'rampart_database_connections{');
    expect(Object.keys(open).sort()).toEqual(
      ['reads', 'subscriptions', 'writes'].flatMap((pool) => [
        `pool="${pool}",state="busy"}`,
        `pool="${pool}",state="idle"}`,
      ]),
    );
    expect(await samples(management, 'rampart_changes{state="waiting"}')).toEqual({ '': 0 });
  });

  describe('of nodes', () => {
    let id: number;
    let double: NodeDouble;

    const figure = async (name: string) => (await samples(management, `rampart_node_${name}`))['{node="Berlin"}'];

    beforeAll(async () => {
      id = await nodes.connectedNode({ name: 'Berlin' });
      double = nodes.double(id);
    });

    it('a node that has every change is connected and not behind', async () => {
      for (const [name, value] of Object.entries({
        connected: 1,
        sync_lag_revisions: 0,
        sync_lag_seconds: 0,
        core_pending: 0,
        refused_users: 0,
        drift_total: 0,
        implausible_total: 0,
      }))
        await until(async (saw) => saw(await figure(name)) === value);
    });

    it('a node that does not take a change is behind by revisions and seconds, until it takes it', async () => {
      const down = setInterval(() => double.fail('syncUser', 'before'), 5);
      await management.call('POST', '/api/user', { username: 'carol', group_ids: [1] });
      await until(async (saw) => (saw(await figure('sync_lag_seconds')) ?? 0) > 0.2);
      expect(await figure('sync_lag_revisions')).toBeGreaterThanOrEqual(1);
      await until(async (saw) => saw(await figure('connected')) === 0);
      clearInterval(down);
      await until(async (saw) => saw(await figure('sync_lag_revisions')) === 0);
      await until(async (saw) => saw(await figure('connected')) === 1);
      expect(await figure('sync_lag_seconds')).toBe(0);
    });

    it('a node that held other users than it should has drifted', async () => {
      double.users.clear();
      await until(async (saw) => saw(await figure('drift_total')) === 1);
    });

    it('users whom a node refuses are counted', async () => {
      const { body } = await management.call('GET', '/api/user/carol');
      const email = nodeEmail(Object(body).id, 'carol');
      double.poison.set(email, 'unwanted');
      await management.call('PUT', '/api/user/carol', { status: 'disabled' });
      await management.call('PUT', '/api/user/carol', { status: 'active' });
      await until(async (saw) => saw(await figure('refused_users')) === 1);
      double.poison.clear();
    });

    it('collected traffic is told by node and direction', async () => {
      const { body } = await management.call('GET', '/api/user/alice');
      double.traffic(nodeEmail(Object(body).id, 'alice'), 700n, 90_000n);
      const traffic = () => samples(management, 'rampart_node_traffic_bytes_total');
      await until(async (saw) => saw(await traffic())['{node="Berlin",direction="downlink"}'] === 90_000);
      expect((await traffic())['{node="Berlin",direction="uplink"}']).toBe(700);
    });

    it('a node that nobody serves any more has no series', async () => {
      await management.call('PUT', `/api/node/${id}`, { status: 'disabled' });
      await until(async (saw) => saw(await figure('connected')) === undefined);
      expect(await samples(management, 'rampart_node_')).toEqual({});
    });
  });
});

describe('the metrics of management without a port for them', () => {
  it('neither requests nor the process are measured', async () => {
    const management = await TestManagement.start();
    await management.call('GET', '/api/users');
    const text = await management.app.get(ProgramMetrics).text();
    expect(text).not.toContain('rampart_http_request_duration_seconds');
    expect(text).not.toContain('nodejs_');
    await management.close();
  });
});

describe('the health of management', () => {
  const OK = { status: 'ok' };

  it('live and ready answer 200 without a login, and the report names the parts', async () => {
    const management = await TestManagement.start();
    await until((saw) => saw(management.app.get(NodeSyncManager).coordinationProblem) === undefined);
    expect(await management.call('GET', '/health', undefined, '')).toEqual({ status: 200, body: OK });
    expect(await management.call('GET', '/health/live', undefined, '')).toEqual({ status: 200, body: OK });
    expect(await management.call('GET', '/health/ready', undefined, '')).toEqual({
      status: 200,
      body: { status: 'ok', parts: { database: OK, coordination: OK } },
    });
    await management.close();
  });

  it('ready answers 503 and names both parts while the database hangs, then 200 again; live answers all the time', async () => {
    const proxy = await DatabaseProxy.before((await createDatabase('migrated')).url);
    const management = await TestManagement.start({ DATABASE_URL: proxy.url });
    const ready = () => management.call('GET', '/health/ready', undefined, '');
    await until(async (saw) => saw(await ready()).status === 200);
    proxy.hang();
    const lost = {
      status: 'unavailable',
      parts: {
        database: { status: 'unavailable', reason: 'the database does not answer' },
        coordination: {
          status: 'unavailable',
          reason: 'there is no connection to the database for locks and notifications',
        },
      },
    };
    await until(
      async (saw) => saw(JSON.stringify(await ready())) === JSON.stringify({ status: 503, body: lost }),
      20_000,
    );
    expect((await management.call('GET', '/health/live', undefined, '')).status).toBe(200);
    proxy.resume();
    await until(async (saw) => saw(await ready()).status === 200, 30_000);
    await management.close();
    await proxy.close();
  });
});
