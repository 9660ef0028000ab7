import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  ShellSession,
  startEngineClientWith,
  startLocalWeb,
} from '@rampart/testing';
import { ensureBaseImage } from '../containers/base-image.js';
import { DockerCompose, whyNoCompose } from '../containers/docker-compose.js';
import { DEPLOY } from '../containers/host.js';
import { buildImages, cleanClone } from '../containers/images.js';
import { Podman, whyNoContainers } from '../containers/podman.js';
import { type ReachablePostgres, startReachablePostgres } from '../containers/reachable-postgres.js';
import { commandsOf } from './page.js';

/** The first run on a machine builds the images, and Docker Compose where it is not installed. */
jest.setTimeout(900_000);

const PASSWORD = 'a long password of the operator';
const PAGE = randomBytes(20_000).toString('hex');
const CORE = {
  inbounds: [
    { tag: 'Shadowsocks TCP', port: 1080, protocol: 'shadowsocks', settings: { clients: [], network: 'tcp,udp' } },
  ],
  outbounds: [{ protocol: 'freedom', tag: 'DIRECT', settings: ALLOW_PRIVATE }],
};

const reason = whyNoContainers() ?? whyNoCompose();

(reason === undefined ? describe : describe.skip)(
  `docs/operators.md with Docker Compose${reason === undefined ? '' : ` (${reason})`}`,
  () => {
    const root = mkdtempSync(join(tmpdir(), 'rampart-operators-'));
    const project = `rampart-operators-${process.pid}`;
    const clients: EngineClient[] = [];
    const shells: ShellSession[] = [];
    let podman: Podman;
    let compose: DockerCompose;
    let shell: ShellSession;
    let port: number;
    let inbound: number;
    let gateway: string;
    let web: LocalWeb;
    let link: string;
    let postgres: ReachablePostgres | undefined;

    const url = () => `http://127.0.0.1:${port}`;

    /** A terminal on a host with a copy of deploy/. What compose makes there has names of its own. */
    async function terminal(host: string): Promise<ShellSession> {
      // Podman isolates networks that Compose makes from each other, as hosts are not.
      for (const network of ['front', 'users', 'link', 'rampart']) {
        const labels = [`com.docker.compose.project=${project}-${host}`, `com.docker.compose.network=${network}`];
        const options = [
          ...labels.flatMap((label) => ['--label', label]),
          ...(network === 'link' ? ['--internal'] : []),
        ];
        await podman.call('network', 'create', ...options, `${project}-${host}_${network}`);
      }
      const folder = join(root, host);
      mkdirSync(folder);
      cpSync(DEPLOY, join(folder, 'deploy'), { recursive: true });
      const started = new ShellSession({ ...compose.env, COMPOSE_PROJECT_NAME: `${project}-${host}` });
      shells.push(started);
      return started;
    }

    /** Changes lines of an .env, as an operator does with an editor; a line that is not there is added. */
    function edit(host: string, values: Readonly<Record<string, string>>): void {
      const file = join(root, host, 'deploy/.env');
      let text = readFileSync(file, 'utf8');
      for (const [name, value] of Object.entries(values)) {
        const line = new RegExp(`^#?${name}=.*$`, 'm');
        expect(text).toMatch(line);
        text = text.replace(line, `${name}=${value}`);
      }
      writeFileSync(file, text);
    }

    const enrolmentIn = (printed: string): string => /^RAMPART_ENROLMENT=(\S+)$/m.exec(printed)?.[1] ?? '';

    async function expectTraffic(subscription: string): Promise<void> {
      const answer = await fetch(`${subscription}/xray`);
      expect(answer.status).toBe(200);
      const [config] = (await answer.json()) as Record<string, unknown>[];
      const client = await startEngineClientWith(config ?? {});
      clients.push(client);
      await eventually(
        'a page arrives through the node',
        () =>
          client.fetch(web.url, 2_000).then(
            (body) => body === PAGE,
            () => false,
          ),
        30_000,
      );
    }

    const doctorIsContent = (code: string) =>
      eventually(
        'doctor finds nothing wrong',
        async (saw) => / 0 wrong$/.test(saw(await shell.run(`${code.trimEnd()} || true`))),
        60_000,
      );

    beforeAll(async () => {
      podman = await Podman.configure();
      await ensureBaseImage(podman);
      await cleanClone(join(root, 'clone'));
      await buildImages(podman, join(root, 'clone'));
      compose = await DockerCompose.start(podman, root);
      shell = await terminal('panel');
      await shell.run(`cd ${join(root, 'panel')}`);
      [port, inbound] = [await freePort(), await freePort()];
    });

    afterAll(async () => {
      await Promise.all(clients.map((client) => client.close()));
      for (const host of ['panel', 'frankfurt', 'replica']) {
        const shell = new ShellSession({ ...compose?.env, COMPOSE_PROJECT_NAME: `${project}-${host}` });
        shells.push(shell);
        await shell
          .run(
            `docker compose --file ${DEPLOY}/compose.yaml --env-file /dev/null down --volumes --timeout 0 2>&1 || true`,
          )
          .catch(() => undefined);
      }
      for (const one of shells) one.close();
      await compose?.stop();
      await postgres?.stop();
      await web?.close();
      await podman?.close();
      rmSync(root, { recursive: true, force: true });
    });

    it('both containers of compose.yaml start on one host by the steps of "Containers: one host"', async () => {
      const [copy = '', start = '', add = '', all = '', ...more] = commandsOf('Containers: one host');
      expect(more).toEqual([]);
      await shell.run(copy);
      edit('panel', {
        RAMPART_PUBLIC_URL: url(),
        RAMPART_ADMIN_PASSWORD: PASSWORD,
        RAMPART_PORT: `${port}`,
        RAMPART_INBOUND_PORTS: `${inbound}`,
      });
      await shell.run(start);
      edit('panel', { RAMPART_ENROLMENT: enrolmentIn(await shell.run(add)) });
      // The port of the core is as free on this machine as the one that is published.
      const api = await new Api(url()).login('admin', PASSWORD);
      const config = { ...CORE, inbounds: CORE.inbounds.map((one) => ({ ...one, port: inbound })) };
      // The page is on the gateway of a network that does not exist yet.
      const private_networks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];
      await api.modify('/api/core/1?restart_nodes=true', { name: 'Default Core Config', config, private_networks });
      const [up = '', ...doctors] = all.split(/^(?=docker compose exec)/m);
      await shell.run(up);
      expect(doctors).toHaveLength(2);
      for (const doctor of doctors) await doctorIsContent(doctor);
    });

    it('the first user gets through the node of compose.yaml by the commands of "The first user"', async () => {
      const network = `${project}-panel_front`;
      gateway = await podman.call('network', 'inspect', '--format', '{{range .Subnets}}{{.Gateway}}{{end}}', network);
      web = await startLocalWeb(PAGE, gateway);
      const commands = commandsOf('The first user', {
        '127.0.0.1:8000': `127.0.0.1:${port}`,
        '198.51.100.7': '127.0.0.1',
      });
      let printed = '';
      for (const code of commands) printed = await shell.run(code);
      link = /https?:\/\/\S+\/sub\/\S+$/m.exec(printed)?.[0] ?? '';
      expect(link.startsWith(`${url()}/sub/`)).toBe(true);
      await expectTraffic(link);
    });

    it('a node on another host is enrolled by the steps of "Containers: a node on another host"', async () => {
      const heading = 'Containers: a node on another host';
      const nodePort = await freePort();
      const [add = '', start = '', ...more] = commandsOf(heading, { '198.51.100.7': `${gateway} --port ${nodePort}` });
      expect(more).toEqual([]);
      const api = await new Api(url()).login('admin', PASSWORD);
      const far = await terminal('frankfurt');
      await far.run(`cd ${join(root, 'frankfurt/deploy')}`);
      const ports = `RAMPART_NODE_PORT=${nodePort}\nRAMPART_INBOUND_PORTS=${await freePort()}\n`;
      writeFileSync(
        join(root, 'frankfurt/deploy/.env'),
        `RAMPART_ENROLMENT=${enrolmentIn(await shell.run(add))}\n${ports}`,
      );
      await far.run(start);
      await eventually(
        'both nodes are connected',
        async (saw) =>
          saw(await api.get<{ status: string }[]>('/api/nodes')).every(({ status }) => status === 'connected'),
        120_000,
      );
      await api.remove('/api/node/2');
    });

    it('the commands for containers of "Backup", "Restore" and "Upgrade" bring back the same link after all data was destroyed', async () => {
      await shell.run('age-keygen -o rampart.key 2> recipient');
      const recipient = await shell.run("sed 's/Public key: //' recipient");
      const isForContainers = (code: string) => code.includes('docker compose');
      const [backUp = ''] = commandsOf('Backup', { 'age1…': recipient }).filter(isForContainers);
      const fingerprint = /Signed by ([\da-f-]+)/.exec(await shell.run(`(${backUp.trim()}) 2>&1`))?.[1] ?? '';
      const [restore = ''] = commandsOf('Restore', { '3f2a-…': fingerprint }).filter(isForContainers);
      const [stop = '', fill = '', start = ''] = restore.split(/^(?=docker)/m);
      await shell.run(stop);
      await shell.run('docker compose rm --force management');
      await podman.call('volume', 'rm', `${project}-panel_management`);
      await shell.run(fill);
      await shell.run(start);
      await expectTraffic(link);
      // No registry has these images: "docker compose pull" is not run.
      const [upgrade = ''] = commandsOf('Upgrade', { 'docker compose pull\n': '' }).filter(isForContainers);
      await shell.run(upgrade);
      expect((await fetch(`${link}/info`)).status).toBe(200);
    });

    it('another management starts on a PostgreSQL of the operator by the command of "Several replicas"', async () => {
      postgres = await startReachablePostgres(join(root, 'postgres'), gateway);
      const replica = await terminal('replica');
      await replica.run(`cd ${join(root, 'replica/deploy')} && cp .env.example .env`);
      const replicaPort = await freePort();
      const key = () => randomBytes(32).toString('base64');
      edit('replica', {
        RAMPART_PUBLIC_URL: `http://127.0.0.1:${replicaPort}`,
        RAMPART_ADMIN_PASSWORD: PASSWORD,
        RAMPART_PORT: `${replicaPort}`,
        DATABASE_URL: postgres.url,
        RAMPART_JWT_KEY: key(),
        RAMPART_SUBSCRIPTION_KEY: key(),
        RAMPART_AT_REST_KEY: key(),
      });
      for (const code of commandsOf('Several replicas')) await replica.run(code);
      const ready = await fetch(`http://127.0.0.1:${replicaPort}/health/ready`);
      expect(ready.status).toBe(200);
    });
  },
);
