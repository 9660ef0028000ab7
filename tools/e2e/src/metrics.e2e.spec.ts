import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { copyDatabase, enginePath, eventually, freePort, scratchFolder } from '@rampart/testing';
import { DASHBOARD, PROMETHEUS, Prometheus, RULES } from './testing/prometheus.js';
import { API_KEY, coreConfig, TwoPrograms } from './testing/two-programs.js';

jest.setTimeout(240_000);

const TOKENS = { management: 'the-token-of-management', node: 'the-token-of-the-node' };
const DATABASE = join(
  dirname(fileURLToPath(import.meta.url)),
  '../../../apps/management/dist/database/embedded/embedded-postgres.js',
);
/** Depends on the disk of the machine that runs the tests. */
const OF_THIS_MACHINE = 'RampartDiskNearlyFull';

interface Postgres {
  url: string;
  stop(): Promise<void>;
}

/** The processes that a process has started. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

(PROMETHEUS ? describe : describe.skip)('metrics of both programs (needs Debian package prometheus)', () => {
  let folder: string;
  let postgres: Postgres;
  let programs: TwoPrograms;
  let prometheus: Prometheus;
  let ids: { nodeId: number; coreId: number; groupId: number };
  let alice: { id: number; username: string; subscription_url: string; proxy_settings: { vless: { id: string } } };
  const at = { management: '', node: '' };
  const engine = () => join(folder, 'engine');

  const scrape = async (of: keyof typeof at): Promise<string> => {
    const answer = await fetch(`http://${at[of]}/metrics`, { headers: { authorization: `Bearer ${TOKENS[of]}` } });
    return answer.text();
  };

  /** Waits until exactly these alerts fire, as a set of names. */
  const fire = async (...expected: string[]): Promise<void> => {
    let last: string[] = [];
    await eventually(
      `these alerts fire: ${expected.join(', ')}`,
      async () => {
        last = [...new Set((await prometheus.firing()).map(({ labels }) => labels['alertname'] ?? ''))];
        return expected.every((name) => last.includes(name));
      },
      90_000,
    ).catch((error: Error) => {
      throw new Error(`${error.message}; firing: ${last.join(', ')}`);
    });
  };

  const clear = (...gone: string[]): Promise<true> =>
    eventually(
      `these alerts have ended: ${gone.join(', ')}`,
      async () => {
        const firing = await prometheus.firing();
        return firing.every(({ labels }) => !gone.includes(labels['alertname'] ?? ''));
      },
      90_000,
    );

  const userNamed = (username: string, others: object = {}): Promise<typeof alice> =>
    programs.api.create('/api/user', { username, group_ids: [ids.groupId], ...others });

  const fetchSubscription = async (): Promise<number> =>
    (await fetch(alice.subscription_url, { headers: { 'user-agent': 'v2rayNG/1.10.5' } })).status;

  /** Has the node remove a user, as somebody else who has its key: a message `User` with nothing but an e-mail. */
  const removeFromNode = (email: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const ca = readFileSync(join(programs.folder, 'node/tls/certificate.pem'), 'utf8');
      const options = { ca, method: 'PUT', headers: { 'x-api-key': API_KEY } };
      request(`https://127.0.0.1:${programs.nodePort}/user/sync`, options, ({ statusCode }) =>
        statusCode === 200 ? resolve() : reject(new Error(`the node answered ${statusCode}`)),
      )
        .on('error', reject)
        .end(Buffer.concat([Buffer.of(0x0a, email.length), Buffer.from(email)]));
    });

  const engines = () => childrenOf(programs.node.pid);

  /** Ends the engine, and waits until the node has started another one. */
  const killEngine = async (): Promise<void> => {
    const [pid = 0] = engines();
    process.kill(pid, 'SIGKILL');
    await eventually('another engine runs', () => engines().some((other) => other !== pid), 30_000);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(scratchFolder(), 'rampart-metrics-'));
    // The engine's own account starts it through a link, which a test removes.
    await chmod(folder, 0o755);
    symlinkSync(enginePath(), engine());
    const { EmbeddedPostgres }: { EmbeddedPostgres: { start(options: object): Promise<Postgres> } } = await import(
      DATABASE
    );
    copyDatabase(folder);
    postgres = await EmbeddedPostgres.start({ dataDir: join(folder, 'postgres'), log: () => undefined });
    const ports = { management: await freePort(), node: await freePort() };
    Object.assign(at, { management: `127.0.0.1:${ports.management}`, node: `127.0.0.1:${ports.node}` });
    programs = await TwoPrograms.start({
      management: {
        DATABASE_URL: postgres.url,
        RAMPART_METRICS_PORT: String(ports.management),
        RAMPART_METRICS_TOKEN: TOKENS.management,
      },
      node: {
        RAMPART_NODE_METRICS_PORT: String(ports.node),
        RAMPART_NODE_METRICS_TOKEN: TOKENS.node,
        XRAY_EXECUTABLE_PATH: engine(),
      },
    });
    ids = await programs.connect('Berlin');
    alice = await userNamed('alice');
    prometheus = await Prometheus.start(join(folder, 'prometheus'), {
      'rampart-management': { at: at.management, token: TOKENS.management },
      'rampart-node': { at: at.node, token: TOKENS.node },
    });
  });

  afterAll(async () => {
    await prometheus?.stop();
    await programs?.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('Prometheus scrapes both programs with their tokens, and no alert fires while all is well', async () => {
    const jobs = ['rampart-management', 'rampart-node'];
    await eventually(
      'both jobs have answered for five seconds',
      async () =>
        (await prometheus.query('min_over_time(up[5s]) == 1 and count_over_time(up[5s]) >= 4')).length === jobs.length,
      30_000,
    );
    expect((await prometheus.jobsUp()).sort()).toEqual(jobs);
    const firing = (await prometheus.firing()).map(({ labels }) => labels['alertname']);
    expect(firing.filter((name) => name !== OF_THIS_MACHINE)).toEqual([]);
  });

  it('every metric that the dashboard and the rules name is one of the programs', async () => {
    const told = [await scrape('management'), await scrape('node')].join('\n');
    const known = new Set([...told.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
    const sources = [await readFile(DASHBOARD, 'utf8'), await readFile(join(RULES, 'alerts.yml'), 'utf8')];
    const named = new Set(sources.flatMap((text) => text.match(/\b(?:rampart|nodejs|process)_\w+/g) ?? []));
    const unknown = [...named].filter(
      (name) => !known.has(name) && !known.has(name.replace(/_(?:bucket|count|sum)$/, '')),
    );
    expect(named.size).toBeGreaterThan(25);
    expect(unknown).toEqual([]);
  });

  it('no series names a user or carries a secret', async () => {
    await fetchSubscription();
    const told = [await scrape('management'), await scrape('node')].join('\n');
    expect(told).toContain('rampart_subscriptions_total{format="links_base64",client="v2rayng"} 1');
    const token = alice.subscription_url.split('/').at(-1) ?? '';
    for (const secret of ['alice', token, programs.password, API_KEY, ...Object.values(TOKENS)])
      expect(told).not.toContain(secret);
  });

  it('a user whom the node refuses, and a core that waits for a restart, raise alerts', async () => {
    const { id } = alice.proxy_settings.vless;
    const twin = await userNamed('twin', { proxy_settings: { vless: { id } } });
    await programs.api.modify(`/api/core/${ids.coreId}`, { name: 'Berlin', config: await coreConfig() });
    await fire('RampartUsersRefused', 'RampartNodeCorePending');
    await programs.api.remove(`/api/user/${twin.username}`);
    await programs.api.send('POST', `/api/core/${ids.coreId}/restart`);
    await clear('RampartUsersRefused', 'RampartNodeCorePending');
  });

  it('an engine that keeps ending, and one that does not start again, raise alerts', async () => {
    for (let kills = 0; kills < 4; kills += 1) {
      await killEngine();
      await eventually('Prometheus has seen the restart', async () => {
        const [restarts] = await prometheus.query('rampart_engine_restarts_total');
        return Number(restarts?.value) > kills;
      });
    }
    await fire('RampartEngineRestarts');
    rmSync(engine());
    for (const pid of engines()) process.kill(pid, 'SIGKILL');
    await fire('RampartEngineDown');
    const ready = await fetch(`http://${at.node}/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        status: 'unavailable',
        parts: {
          engine: { status: 'unavailable', reason: 'the engine does not run: the log says why' },
          disk: { status: 'ok' },
        },
      },
    ]);
    symlinkSync(enginePath(), engine());
    await clear('RampartEngineDown');
  });

  it('a node that is gone and misses a change raises alerts, and so does one that held other users', async () => {
    await removeFromNode(`${alice.id}.alice`);
    await programs.node.stop();
    await userNamed('bob');
    await fire('RampartProgramDown', 'RampartNodeDisconnected', 'RampartNodeBehind');
    await programs.startNode();
    await fire('RampartNodeDrift');
    await clear('RampartProgramDown', 'RampartNodeDisconnected', 'RampartNodeBehind');
  });

  /** Runs `work` while the database stands still. */
  async function withHangingDatabase(work: () => Promise<void>): Promise<void> {
    const pid = Number(readFileSync(join(folder, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);
    const servers = [pid, ...childrenOf(pid)];
    for (const server of servers) process.kill(server, 'SIGSTOP');
    await work().finally(() => {
      for (const server of servers) process.kill(server, 'SIGCONT');
    });
  }

  it('a database that answers late makes subscriptions slow, which raises an alert', async () => {
    let fetched: Promise<number[]> = Promise.resolve([]);
    await withHangingDatabase(async () => {
      fetched = Promise.all([fetchSubscription(), fetchSubscription(), fetchSubscription()]);
      // How late it answers: more than the alert allows, less than makes management give up.
      await setTimeout(1_500);
    });
    expect(await fetched).toEqual([200, 200, 200]);
    await fire('RampartSubscriptionsSlow');
  });

  it('a database that hangs raises alerts', async () => {
    await withHangingDatabase(async () => {
      expect(await fetchSubscription()).toBe(503);
      const users = setInterval(() => void fetchSubscription(), 200);
      await fire(
        ...['RampartDatabaseDown', 'RampartCoordinationLost', 'RampartRequestsFail', 'RampartMetricsIncomplete'],
      ).finally(() => clearInterval(users));
    });
    await clear('RampartDatabaseDown', 'RampartCoordinationLost');
    expect(await fetchSubscription()).toBe(200);
  });
});
