import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  Api,
  BreakableDisk,
  canMount,
  copyDatabase,
  enginePath,
  eventually,
  freePort,
  REACH_LOOPBACK,
  scratchFolder,
  startEngineClientWith,
  startLocalWeb,
} from '@rampart/testing';
import { type Alert, alertNames, DASHBOARD, PROMETHEUS, Prometheus, RULES } from './testing/prometheus.js';
import { childrenOf, whileStarved, whileStopped } from './testing/stopped-processes.js';
import { API_KEY, coreConfig, TwoPrograms } from './testing/two-programs.js';

jest.setTimeout(240_000);

const TOKENS = { management: 'the-token-of-management', node: 'the-token-of-the-node' };
const DIST = join(dirname(fileURLToPath(import.meta.url)), '../../../apps/management/dist');
const DATABASE = join(DIST, 'database/embedded/embedded-postgres.js');
const LINE_RATE = { mbit: 1, bytesAtOnce: 7_500_000 };
/** What the node has its data on. */
const disk = canMount() ? new BreakableDisk() : undefined;
/** Enough for the node to go on, and less than a tenth of its disk. */
const NEARLY_FULL_BYTES = 64 * 1024;

interface Postgres {
  url: string;
  stop(): Promise<void>;
}

/** Whether an alert is about the disk of the machine that runs the tests. */
const isOfThisMachine = ({ labels: { alertname, job } }: Alert): boolean =>
  alertname === 'RampartDiskNearlyFull' && !(disk && job === 'rampart-node');

(PROMETHEUS ? describe : describe.skip)('metrics of both programs (needs Debian package prometheus)', () => {
  let folder: string;
  let postgres: Postgres;
  let programs: TwoPrograms;
  let prometheus: Prometheus;
  let ids: { nodeId: number; coreId: number; groupId: number };
  let alice: { id: number; username: string; subscription_url: string; proxy_settings: { vless: { id: string } } };
  const at = { management: '', node: '' };
  /** The alerts that tests have made fire. */
  const fired: string[] = [];
  const engine = () => join(folder, 'engine');

  const scrape = async (of: keyof typeof at): Promise<string> => {
    const answer = await fetch(`http://${at[of]}/metrics`, { headers: { authorization: `Bearer ${TOKENS[of]}` } });
    return answer.text();
  };

  /** The names of the alerts that fire now. */
  const firing = async (): Promise<string[]> => {
    const alerts = await prometheus.firing();
    return [
      ...new Set(alerts.filter((alert) => !isOfThisMachine(alert)).map(({ labels }) => `${labels['alertname']}`)),
    ];
  };

  /** Waits until these alerts fire. */
  const fire = async (...expected: string[]): Promise<void> => {
    let last: string[] = [];
    await eventually(
      `these alerts fire: ${expected.join(', ')}`,
      async () => {
        last = await firing();
        return expected.every((name) => last.includes(name));
      },
      90_000,
    ).catch((error: Error) => {
      throw new Error(`${error.message}; firing: ${last.join(', ')}`);
    });
    fired.push(...expected);
  };

  const clear = (...gone: string[]): Promise<true> =>
    eventually(
      `these alerts have ended: ${gone.join(', ')}`,
      async (saw) => saw(await firing()).every((name) => !gone.includes(name)),
      90_000,
    );

  const userNamed = (username: string, others: object = {}): Promise<typeof alice> =>
    programs.api.create('/api/user', { username, group_ids: [ids.groupId], ...others });

  const fetchSubscription = async (): Promise<number> =>
    (await fetch(alice.subscription_url, { headers: { 'user-agent': 'v2rayNG/1.10.5' } })).status;

  /** Calls the node as somebody else who has its key. */
  const callNode = (path: string, body = Buffer.alloc(0)): Promise<void> =>
    new Promise((resolve, reject) => {
      const options = { ca: programs.certificate, method: 'PUT', headers: { 'x-api-key': API_KEY } };
      request(`https://127.0.0.1:${programs.nodePort}${path}`, options, (answer) => {
        const { statusCode } = answer.resume();
        return statusCode === 200 ? resolve() : reject(new Error(`the node answered ${statusCode}`));
      })
        .on('error', reject)
        .end(body);
    });

  /** Has the node remove a user: a message `User` with nothing but an e-mail. */
  const removeFromNode = (email: string): Promise<void> =>
    callNode('/user/sync', Buffer.concat([Buffer.of(0x0a, email.length), Buffer.from(email)]));

  const engines = () => childrenOf(programs.node.pid);

  /** Ends the engine, and waits until the node has started another one. An engine that keeps ending is down for seconds. */
  const killEngine = async (): Promise<void> => {
    const pid = await eventually('an engine runs', () => engines()[0], 30_000);
    process.kill(pid, 'SIGKILL');
    await eventually('another engine runs', (saw) => saw(engines()).some((other) => other !== pid), 30_000);
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
    await disk?.ready();
    programs = await TwoPrograms.start({
      disk,
      management: {
        DATABASE_URL: postgres.url,
        RAMPART_METRICS_PORT: String(ports.management),
        RAMPART_METRICS_TOKEN: TOKENS.management,
        RAMPART_NODE_LINE_RATE: String(LINE_RATE.mbit),
        // Fewer than the requests that run at once, so that some always wait where the database is slow.
        RAMPART_DATABASE_READS: '2',
        RAMPART_DATABASE_SUBSCRIPTIONS: '2',
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
    disk?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('Prometheus scrapes both programs with their tokens, and no alert fires while all is well', async () => {
    const jobs = ['rampart-management', 'rampart-node'];
    await eventually(
      'both jobs have answered for five seconds',
      async (saw) =>
        saw(await prometheus.query('min_over_time(up[5s]) == 1 and count_over_time(up[5s]) >= 4')).length ===
        jobs.length,
      30_000,
    );
    expect((await prometheus.jobsUp()).sort()).toEqual(jobs);
    expect(await firing()).toEqual([]);
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

  /** Gives a user a credential as no request can. */
  const overwriteVlessId = async (userId: number, vlessId: string): Promise<void> => {
    const { createDataSource } = await import(join(DIST, 'app/data-source.js'));
    const database = await createDataSource(postgres.url).initialize();
    try {
      await database.query(
        `UPDATE user_proxy_settings SET proxy_settings = jsonb_set(proxy_settings, '{vless,id}', to_jsonb($2::text))
         WHERE user_id = $1`,
        [userId, vlessId],
      );
    } finally {
      await database.destroy();
    }
  };

  it('a user whom the node refuses, and a core that waits for a restart, raise alerts', async () => {
    const twin = await userNamed('twin');
    await programs.api.modify(`/api/user/${twin.username}`, { status: 'disabled' });
    await overwriteVlessId(twin.id, alice.proxy_settings.vless.id);
    await programs.api.modify(`/api/user/${twin.username}`, { status: 'active' });
    const config = await coreConfig();
    await programs.api.modify(`/api/core/${ids.coreId}`, { name: 'Berlin', config, ...REACH_LOOPBACK });
    await fire('RampartUsersRefused', 'RampartNodeCorePending');
    await programs.api.remove(`/api/user/${twin.username}`);
    await programs.api.send('POST', `/api/core/${ids.coreId}/restart`);
    await clear('RampartUsersRefused', 'RampartNodeCorePending');
  });

  it('a node that reports more than its line carries raises an alert', async () => {
    const web = await startLocalWeb('0'.repeat(2 * LINE_RATE.bytesAtOnce));
    const document = await fetch(`${alice.subscription_url}/xray`);
    const [config] = (await document.json()) as Record<string, unknown>[];
    const client = await startEngineClientWith(config ?? {});
    try {
      expect(await client.fetch(web.url, 30_000)).toHaveLength(2 * LINE_RATE.bytesAtOnce);
      await fire('RampartNodeImplausible');
    } finally {
      await Promise.all([client.close(), web.close()]);
    }
  });

  it('an engine that ends too often for a change of its users raises an alert until it runs with them', async () => {
    const hasRun = 'max(count_over_time(rampart_engine_running[40s])) > 35';
    const isTheSame = 'sum(changes(rampart_engine_handovers_total[40s])) == 0';
    await eventually(
      'the same engine has run long enough for its users to count as good',
      async (saw) => saw(await prometheus.query(`${hasRun} and on () ${isTheSame}`)).length > 0,
      90_000,
    );
    const figure = async (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await scrape('node'))?.[1]);
    const served = await figure('rampart_engine_users');
    const carol = await userNamed('carol');
    await eventually(
      'the node has the change',
      async (saw) => saw(await figure('rampart_engine_users')) === served + 1,
    );
    for (let kills = 0; kills < 9 && (await figure('rampart_engine_fallback')) === 0; kills += 1) {
      const restarts = await figure('rampart_engine_restarts_total');
      for (const pid of engines()) process.kill(pid, 'SIGKILL');
      await eventually(
        'another engine serves',
        async (saw) => saw(await figure('rampart_engine_restarts_total')) > restarts,
      );
    }
    await fire('RampartEngineFallback');
    const told = async () => (await programs.api.get<{ message: string | null }>(`/api/node/${ids.nodeId}`)).message;
    await eventually('the node says so', async () => (await told())?.startsWith('the engine kept failing: '), 30_000);
    // Without the user who is missing, the engine runs what it should.
    await programs.api.remove(`/api/user/${carol.username}`);
    await clear('RampartEngineFallback');
  });

  it('an engine that has no file for another connection raises an alert until it has some', async () => {
    const pid = await eventually('an engine runs', () => engines()[0], 30_000);
    const [, , , soft] = (/^Max open files .*$/m.exec(await readFile(`/proc/${pid}/limits`, 'utf8'))?.[0] ?? '').split(
      / +/,
    );
    const { uid, gid } = statSync(`/proc/${pid}`);
    // A root without CAP_SYS_RESOURCE may not do that to another account.
    const asEngine =
      uid === process.getuid?.() ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
    const allow = (files: string) => {
      const [program = '', ...args] = [...asEngine, 'prlimit', '--pid', `${pid}`, `--nofile=${files}:`];
      execFileSync(program, args);
    };
    const message = async () => (await programs.api.get<{ message: string | null }>(`/api/node/${ids.nodeId}`)).message;
    allow('3');
    try {
      await fire('RampartEngineFull');
      const told = 'the engine takes no new connections: all of its 3 files are open';
      await eventually('the node says so', async (saw) => saw(await message())?.includes(told) === true, 30_000);
    } finally {
      allow(soft ?? '');
    }
    await clear('RampartEngineFull');
    expect(engines()).toEqual([pid]);
  });

  it('an engine that keeps ending, and one that does not start again, raise alerts', async () => {
    const restarts = async () => Number((await prometheus.query('rampart_engine_restarts_total'))[0]?.value);
    for (let kills = 0; kills < 4; kills += 1) {
      const before = await restarts();
      await killEngine();
      await eventually('Prometheus has seen the restart', async (saw) => saw(await restarts()) > before, 30_000);
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
    // A node whose engine does not run yet would be started with all users, and nothing would be compared.
    await whileStopped([programs.management.pid], async () => {
      await programs.startNode();
      await programs.node.printed('the saved session runs again');
    });
    await fire('RampartNodeDrift');
    await clear('RampartProgramDown', 'RampartNodeDisconnected', 'RampartNodeBehind', 'RampartEventLoopBlocked');
  });

  (disk ? it : it.skip)(
    'the disk of a node raises an alert when it is nearly full, and another one when it is full (needs root)',
    async () => {
      disk?.leave(NEARLY_FULL_BYTES);
      await fire('RampartDiskNearlyFull');
      expect(await firing()).not.toContain('RampartDiskUnwritable');
      disk?.leave(0);
      await fire('RampartDiskUnwritable');
      disk?.free();
      await clear('RampartDiskNearlyFull', 'RampartDiskUnwritable');
    },
  );

  it('a node that somebody else stops again and again raises an alert', async () => {
    const isPaused = async () =>
      Number(/^rampart_node_full_set_pause_seconds\{.*\} (.+)$/m.exec(await scrape('management'))?.[1]) > 0;
    while (!(await isPaused())) {
      const before = engines();
      await callNode('/stop');
      await eventually(
        'management has started it again',
        (saw) => saw(engines()).some((pid) => !before.includes(pid)),
        30_000,
      );
    }
    await fire('RampartNodeFullSetPaused');
  });

  it('a management that gets too little of the processor raises an alert', async () => {
    const rhythm = { stoppedMs: 700, runMs: 300 };
    await whileStarved(
      () => [programs.management.pid],
      rhythm,
      () => fire('RampartEventLoopBlocked'),
    );
    await clear('RampartEventLoopBlocked');
  });

  /** The processes of the database. */
  const servers = (): number[] => {
    const pid = Number(readFileSync(join(folder, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);
    return [pid, ...childrenOf(pid)];
  };

  it('more lists at a time than a slow database answers raise an alert', async () => {
    let isDone = false;
    // Each admin has a few lists at a time, so it takes several of them.
    const admins: Api[] = [];
    for (const username of ['reader1', 'reader2', 'reader3', 'reader4']) {
      const password = 'a password for many lists';
      await programs.api.create('/api/admin', { username, password, is_sudo: true });
      admins.push(await new Api(programs.api.url).login(username, password));
    }
    // A list that waits for too long is refused.
    const read = async (api: Api): Promise<void> => {
      while (!isDone) {
        const { status, body } = await api.send('GET', '/api/hosts');
        if (status !== 200) expect({ status, body }).toMatchObject({ status: 503, body: { code: 'DATABASE_BUSY' } });
      }
    };
    await whileStarved(servers, { stoppedMs: 300, runMs: 100 }, async () => {
      const readers = admins.flatMap((api) => [api, api, api, api]).map(read);
      await fire('RampartDatabaseBusy').finally(() => {
        isDone = true;
      });
      await Promise.all(readers);
    });
    await clear('RampartDatabaseBusy');
  });

  it('a database that answers late makes subscriptions slow, which raises an alert', async () => {
    let fetched: Promise<number[]> = Promise.resolve([]);
    await whileStopped(servers(), async () => {
      fetched = Promise.all([fetchSubscription(), fetchSubscription(), fetchSubscription()]);
      // How late it answers: more than the alert allows, less than makes management give up.
      await setTimeout(1_500);
    });
    expect(await fetched).toEqual([200, 200, 200]);
    await fire('RampartSubscriptionsSlow');
  });

  it('a database that hangs raises alerts', async () => {
    await whileStopped(servers(), async () => {
      expect(await fetchSubscription()).toBe(503);
      const users = setInterval(() => void fetchSubscription(), 200);
      await fire(
        ...['RampartDatabaseDown', 'RampartCoordinationLost', 'RampartRequestsFail', 'RampartMetricsIncomplete'],
      ).finally(() => clearInterval(users));
    });
    await clear('RampartDatabaseDown', 'RampartCoordinationLost');
    expect(await fetchSubscription()).toBe(200);
  });

  (disk ? it : it.skip)('the tests before this one have made every alert of the rules fire (needs root)', async () => {
    const alerts = alertNames(await readFile(join(RULES, 'alerts.yml'), 'utf8'));
    expect(fired.toSorted()).toEqual(alerts.toSorted());
  });
});
