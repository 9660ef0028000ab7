import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  ALLOW_PRIVATE,
  Api,
  type EngineClient,
  eventually,
  freePort,
  type LocalWeb,
  startEngineClientWith,
  startLocalWeb,
} from '@rampart/testing';
import { ensureBaseImage } from './containers/base-image.js';
import { Host } from './containers/host.js';
import { buildImages, cleanClone } from './containers/images.js';
import { Podman, whyNoContainers } from './containers/podman.js';
import { type ReachablePostgres, startReachablePostgres } from './containers/reachable-postgres.js';

/** The first build on a machine downloads a base system and all packages. */
jest.setTimeout(900_000);

const PASSWORD = 'a password for containers';
const PAGE = randomBytes(20_000).toString('hex');
/** `docker stop` kills after ten seconds; both programs must be done before. */
const STOP_MS = 8_000;
const TAKE_OVER_MS = 10_000;

interface User {
  readonly subscription_url: string;
}
interface NodeState {
  readonly status: string;
  readonly message: string | null;
}

const reason = whyNoContainers();

(reason === undefined ? describe : describe.skip)(`two containers${reason === undefined ? '' : ` (${reason})`}`, () => {
  const root = mkdtempSync(join(tmpdir(), 'rampart-containers-'));
  const name = `rampart-${process.pid}`;
  const clients: EngineClient[] = [];
  let podman: Podman;
  let built: string;
  let panel: Host;
  let far: Host;
  let web: LocalWeb;
  let api: Api;
  let link: string;
  let gateway: string;
  let inboundPort: number;
  let group: { id: number };

  /** A management on a host of its own, and its address from this machine. */
  async function management(host: string, files: readonly string[], env: Record<string, string> = {}) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const all = { RAMPART_PUBLIC_URL: url, RAMPART_ADMIN_PASSWORD: PASSWORD, RAMPART_PORT: `${port}`, ...env };
    return { host: new Host(podman, `${name}-${host}`, files, all), url };
  }

  const healthy = (host: Host, service: string) =>
    eventually(
      `${service} is healthy`,
      () => podman.succeeds('healthcheck', 'run', host.container(service)),
      60_000,
    ).catch(async (error: unknown) => {
      throw new Error(`${String(error)}\n${await host.logs(service)}`);
    });

  /** Expects an init, an account without rights, a read-only root file system, and no more capabilities than these. */
  async function expectConfined(host: Host, service: string, capabilities: string): Promise<void> {
    const script = 'cat /proc/1/comm; id -u; grep -h CapBnd /proc/[0-9]*/status | sort -u; touch /x 2>&1; true';
    const shown = await host.exec(service, 'sh', '-c', script);
    expect(shown.split('\n')).toEqual([
      'tini',
      '10001',
      `CapBnd:\t${capabilities}`,
      "touch: cannot touch '/x': Read-only file system",
    ]);
  }

  const login = (url: string) => new Api(url).login('admin', PASSWORD);

  const connected = (from: Api, id: number) =>
    eventually(
      'the node is connected',
      async (saw) => saw(await from.get<NodeState>(`/api/node/${id}`)).status === 'connected',
      60_000,
    ).catch(async (error: unknown) => {
      const { message } = await from.get<NodeState>(`/api/node/${id}`);
      throw new Error(`${String(error)}: ${message}\n${await far.logs('node')}`);
    });

  /** Creates a node by `rampart node add`, and the host whose .env has nothing but the printed line and free ports. */
  async function enrolFarNode(host: Host, core: number): Promise<number> {
    const port = await freePort();
    const address = ['--address', gateway, '--port', `${port}`];
    const line = await host.exec('management', 'rampart', 'node', 'add', 'far', ...address, '--core', `${core}`);
    const [, variable = '', value = ''] = /^(RAMPART_ENROLMENT)=(\S+)$/.exec(line) ?? [];
    const ports = { RAMPART_NODE_PORT: `${port}`, RAMPART_INBOUND_PORTS: `${inboundPort}` };
    far = new Host(podman, `${name}-far`, ['compose.node.yaml'], { [variable]: value, ...ports });
    const nodes: { id: number; name: string }[] = JSON.parse(
      await host.exec('management', 'rampart', 'node', 'list', '--json'),
    );
    return nodes.find((node) => node.name === 'far')?.id ?? 0;
  }

  /** Whether a client that knows only a subscription link fetches the page through the node. */
  async function passesTraffic(subscription: string): Promise<void> {
    const answer = await fetch(`${subscription}/xray`);
    expect(answer.status).toBe(200);
    const [config] = (await answer.json()) as Record<string, unknown>[];
    const client = await startEngineClientWith(config ?? {});
    clients.push(client);
    await eventually('a page arrives through the node', () =>
      client.fetch(web.url, 2_000).then(
        (body) => body === PAGE,
        () => false,
      ),
    );
  }

  beforeAll(async () => {
    podman = await Podman.configure();
    await ensureBaseImage(podman);
    await cleanClone(join(root, 'clone'));
    built = await buildImages(podman, join(root, 'clone'));
    ({ host: panel } = await management('panel', ['compose.yaml']));
  });

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    for (const host of [far, panel]) await host?.destroy();
    await web?.close();
    await podman?.try('image', 'prune', '--force');
    await podman?.close();
    rmSync(root, { recursive: true, force: true });
  });

  /** What a command prints in a new container of an image, without a network and with nothing else. */
  const inImage = (image: string, script: string) =>
    podman.call(
      'run',
      '--rm',
      '--network',
      'none',
      '--entrypoint',
      'sh',
      `ghcr.io/rampart-proxy/${image}`,
      '-c',
      script,
    );

  it('npm run images builds both images from a clean clone, and prints sizes within their limits', () => {
    const sizes = [...built.matchAll(/^(\S+): ([\d.]+) MB above its base \S+ \(limit ([\d.]+) MB\)$/gm)];
    expect(sizes.map(([, image]) => image)).toEqual([
      expect.stringContaining('/management:'),
      expect.stringContaining('/node:'),
    ]);
    for (const [, , size, limit] of sizes) expect(Number(size)).toBeLessThanOrEqual(Number(limit));
  });

  it.each(['management', 'node'])(
    'the image of %s has no compiler, no development dependency, no source and no setuid program',
    async (image) => {
      const tag = /:(\S+): /.exec(built)?.[1];
      const found = await inImage(
        `${image}:${tag}`,
        "find / -xdev -perm /6000 -type f 2>/dev/null; which gcc cc go tsc pnpm; find /opt/rampart -name '*.ts'; ls /opt/rampart/node_modules 2>/dev/null | grep -E '^(jest|typescript|esbuild|@swc|@biomejs)'; id -u",
      );
      expect(found).toBe('10001');
    },
  );

  it('management starts from compose.yaml and two values in .env, without capabilities, below an init, with a read-only root file system', async () => {
    await panel.up('management');
    await healthy(panel, 'management');
    await expectConfined(panel, 'management', '0000000000000000');
    api = await login(panel.env['RAMPART_PUBLIC_URL'] ?? '');
  });

  it('a node on another network is enrolled with one pasted value, and a client passes traffic on a port below 1024', async () => {
    const networks = await podman.call(
      'network',
      'inspect',
      '--format',
      '{{range .Subnets}}{{.Gateway}}{{end}}',
      `${panel.name}-front`,
    );
    gateway = networks.trim();
    web = await startLocalWeb(PAGE, gateway);
    inboundPort = await lowPort();
    const inbound = { tag: 'low', protocol: 'vless', port: inboundPort, settings: { decryption: 'none' } };
    const core = await api.create<{ id: number }>('/api/core', {
      name: 'containers',
      config: { inbounds: [inbound], outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }] },
      private_networks: [gateway],
    });
    group = await api.create('/api/group', { name: 'containers', inbound_tags: ['low'] });
    await api.create('/api/host', { remark: 'far', inbound_tag: 'low', priority: 1, address: ['127.0.0.1'] });
    const id = await enrolFarNode(panel, core.id);
    await far.up('node');
    await connected(api, id);
    await healthy(far, 'node');
    const user = await api.create<User>('/api/user', { username: 'first', group_ids: [group.id] });
    link = user.subscription_url;
    await passesTraffic(link);
  });

  it('rampart doctor finds nothing wrong in either container', async () => {
    for (const [host, service] of [
      [panel, 'management'],
      [far, 'node'],
    ] as const) {
      const { code, text } = await host.try(service, 'rampart', 'doctor');
      expect({ code, text }).toEqual({ code: 0, text });
    }
  });

  it('the node runs without root below an init, with a read-only root file system and only the capability for low ports', async () => {
    await expectConfined(far, 'node', '0000000000000400');
  });

  it('where an account gets capabilities only as an upper limit, as in Docker, the node still has them', async () => {
    const { options, image } = far.argumentsOf('node', ['ports', 'restart', 'volumes', 'cap_add', 'networks']);
    const likeDocker = [
      '--user',
      '0',
      '--cap-add',
      'NET_BIND_SERVICE,SETUID,SETGID,SETPCAP',
      '--entrypoint',
      'setpriv',
    ];
    const account = [
      '--reuid',
      '10001',
      '--regid',
      '10001',
      '--clear-groups',
      '--inh-caps=-all',
      '--ambient-caps=-all',
    ];
    const shown = await podman.call(
      ...['run', '--rm', ...options, ...likeDocker, image, ...account, '--bounding-set=-all,+net_bind_service'],
      ...['/usr/local/lib/rampart/node-entrypoint.sh', 'grep', 'CapEff', '/proc/self/status'],
    );
    expect(shown).toBe('CapEff:\t0000000000000400');
  });

  it('both containers stop within 8 seconds, and the next start serves the same link', async () => {
    for (const [host, service] of [
      [far, 'node'],
      [panel, 'management'],
    ] as const) {
      const since = performance.now();
      await podman.call('stop', host.container(service));
      expect(performance.now() - since).toBeLessThan(STOP_MS);
      const code = await podman.call('inspect', '--format', '{{.State.ExitCode}}', host.container(service));
      expect(code).toBe('0');
    }
    await podman.call('start', panel.container('management'));
    await healthy(panel, 'management');
    await podman.call('start', far.container('node'));
    await passesTraffic(link);
  });

  it('a backup of the running management, restored after all its data was destroyed, brings back the same link', async () => {
    const file = '/var/lib/rampart/panel.age';
    const folder = join(root, 'backup');
    mkdirSync(folder, { mode: 0o755 });
    writeFileSync(join(folder, 'passphrase'), 'a passphrase for the backup\n', { mode: 0o644 });
    await podman.call('cp', join(folder, 'passphrase'), `${panel.container('management')}:/var/lib/rampart/passphrase`);
    const backUp = ['rampart', 'backup', file, '--passphrase-file', '/var/lib/rampart/passphrase'];
    const [, fingerprint = ''] = /Signed by ([\da-f-]+)/.exec(await panel.exec('management', ...backUp)) ?? [];
    await podman.call('cp', `${panel.container('management')}:${file}`, join(folder, 'panel.age'));
    chmodSync(join(folder, 'panel.age'), 0o644);
    await panel.wipe();

    const restore = ['rampart', 'restore', '/backup/panel.age', '--passphrase-file', '/backup/passphrase'];
    restore.push('--accept-fingerprint', fingerprint);
    await panel.run('management', ['--volume', `${folder}:/backup:ro`], ...restore);
    await panel.up('management');
    await healthy(panel, 'management');
    api = await login(panel.env['RAMPART_PUBLIC_URL'] ?? '');
    const [{ id }] = (await api.get<{ id: number }[]>('/api/nodes')) as [{ id: number }];
    await connected(api, id);
    await passesTraffic(link);
  });

  describe('two managements on a PostgreSQL of their own (compose.postgres.yaml)', () => {
    const key = () => randomBytes(32).toString('base64');
    let postgres: ReachablePostgres;
    let replicas: { host: Host; url: string }[];

    beforeAll(async () => {
      await far.destroy();
      postgres = await startReachablePostgres(join(root, 'postgres'), gateway);
      const shared = {
        DATABASE_URL: postgres.url,
        RAMPART_JWT_KEY: key(),
        RAMPART_SUBSCRIPTION_KEY: key(),
        RAMPART_AT_REST_KEY: key(),
      };
      const files = ['compose.yaml', 'compose.postgres.yaml'];
      replicas = [await management('one', files, shared), await management('two', files, shared)];
    });

    afterAll(async () => {
      for (const { host } of replicas ?? []) await host.destroy();
      await postgres?.stop();
    });

    it('a second management takes over the node when the first is killed', async () => {
      const [one, two] = replicas as [(typeof replicas)[0], (typeof replicas)[0]];
      for (const { host } of [one, two]) {
        await host.up('management');
        await healthy(host, 'management');
      }
      api = await login(one.url);
      const second = await login(two.url);
      const inbound = { tag: 'low', protocol: 'vless', port: inboundPort, settings: { decryption: 'none' } };
      const core = await api.create<{ id: number }>('/api/core', {
        name: 'replicas',
        config: { inbounds: [inbound], outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }] },
        private_networks: [gateway],
      });
      group = await api.create('/api/group', { name: 'replicas', inbound_tags: ['low'] });
      await api.create('/api/host', { remark: 'far', inbound_tag: 'low', priority: 1, address: ['127.0.0.1'] });
      const id = await enrolFarNode(one.host, core.id);
      await far.up('node');
      await connected(api, id);

      const killed = performance.now();
      await podman.call('kill', '--signal', 'KILL', one.host.container('management'));
      const user = await second.create<User>('/api/user', { username: 'after-the-kill', group_ids: [group.id] });
      await passesTraffic(user.subscription_url.replace(one.url, two.url));
      expect(performance.now() - killed).toBeLessThan(TAKE_OVER_MS);
    });
  });
});

/** A free port below 1024, which only a capability opens. */
async function lowPort(): Promise<number> {
  for (let port = 1023; port > 600; port -= 1) {
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '0.0.0.0', () => resolve(true));
    });
    server.close();
    if (free) return port;
  }
  throw new Error('no port below 1024 is free');
}
