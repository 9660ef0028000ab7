import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type NodeClient, StatType, User } from '@rampart/node-client';
import { ALLOW_PRIVATE, eventually, freePort } from '@rampart/testing';
import { ensureBaseImage } from './containers/base-image.js';
import { API_KEY, HostNetworkNode } from './containers/host-network-node.js';
import { buildImages, cleanClone } from './containers/images.js';
import { Podman, whyNoContainers } from './containers/podman.js';
import { commandsOf } from './operators/page.js';
import { VlessTraffic } from './testing/vless-traffic.js';

/** Building the images takes minutes when they are not in podman's cache. */
jest.setTimeout(900_000);

const execute = promisify(execFile);
const ID = '11111111-1111-4111-8111-111111111111';
const ann = User.fromPartial({ email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] });
const MIGRATION = '/proc/sys/net/ipv4/tcp_migrate_req';

const reason = whyNoContainers();

(reason === undefined ? describe : describe.skip)(
  `a node in a container on the network of the host${reason === undefined ? '' : ` (${reason})`}`,
  () => {
    const root = mkdtempSync(join(tmpdir(), 'rampart-upgrade-'));
    const name = `rampart-upgrade-${process.pid}`;
    let podman: Podman;
    let image: string;
    let port: number;
    let inbound: number;
    let node: HostNetworkNode;
    let client: NodeClient;
    let traffic: VlessTraffic;

    /** The commands of the page: those that start the first container, and those of the upgrade. */
    const commands = (): [string, string] => {
      const [first = '', upgrade = ''] = commandsOf('Upgrade of a container without a cut connection', {
        'echo net.ipv4.tcp_migrate_req=1 > /etc/sysctl.d/rampart-node.conf && sysctl --system\n': '',
        // Podman 4.3 cannot change the policy of a container, so that these have none.
        'docker update --restart no rampart-node && ': '',
        '--restart unless-stopped ': '',
        ...{ 'ghcr.io/rampart-proxy/node:0.5.0': image, 'ghcr.io/rampart-proxy/node:0.6.0': image },
        ...{ 'node.env': join(root, 'node.env'), 'rampart-node': name, 'docker ': 'podman ' },
      });
      return [first, upgrade];
    };
    const shell = (script: string) => execute('sh', ['-ec', script], { env: podman.env });
    const goesOn = async (connections: number): Promise<void> => {
      const before = traffic.opened;
      await eventually('new connections are served', (saw) => saw(traffic.opened) >= before + connections, 20_000);
    };
    const counted = async (): Promise<number[]> => {
      const { stats } = await client.stats({ type: StatType.UserStat, name: '1.ann' });
      return stats.map(({ value }) => Number(value));
    };

    beforeAll(async () => {
      podman = await Podman.configure();
      await ensureBaseImage(podman);
      await cleanClone(join(root, 'clone'));
      const built = await buildImages(podman, join(root, 'clone'));
      image = /^(\S+\/node:\S+): /m.exec(built)?.[1] ?? '';
      // docs/operators.md: so that connections that are just opening survive the change of the engine.
      writeFileSync(MIGRATION, '1');
      port = await freePort();
      inbound = await freePort();
      const key = `RAMPART_API_KEY=${API_KEY}`;
      writeFileSync(
        join(root, 'node.env'),
        [key, 'RAMPART_NODE_HOST=127.0.0.1', `RAMPART_NODE_PORT=${port}`, ''].join('\n'),
      );
      await shell(commands()[0]);
      node = new HostNetworkNode(podman, name, port);
      client = await node.client();
      const vless = { tag: 'vless', listen: '127.0.0.1', port: inbound, protocol: 'vless' };
      const config = JSON.stringify({
        inbounds: [{ ...vless, settings: { decryption: 'none' } }],
        outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
      });
      await client.start({ config, users: [ann] });
      traffic = await VlessTraffic.start(inbound, ID);
    });

    afterAll(async () => {
      traffic?.close();
      await client?.close();
      for (const container of [name, `${name}-old`]) await podman?.try('rm', '--force', '--time', '0', container);
      await podman?.try('volume', 'rm', '--force', name);
      await podman?.close();
      rmSync(root, { recursive: true, force: true });
    });

    it("process 1 keeps the engine while it restarts the node's program after a crash", async () => {
      await goesOn(100);
      // A program that fails within ten seconds ends the container.
      const [, running = '', ready = ''] = await node.says(
        /"pid":(\d+),"timestamp":"([^"]+)".*Ready for REST and gRPC/,
      );
      await eventually(
        'the program has run for ten seconds',
        (saw) => saw(Date.now() - Date.parse(ready)) > 10_000,
        20_000,
      );
      await podman.call('exec', node.container, 'sh', '-c', `kill -9 ${running}`);
      await client.close();
      await node.says(/ended with exit code 137 and is started again/);
      await node.says(/the engine of the previous node \(process \d+\) goes on, with its connections/);
      client = await node.client();
      await goesOn(100);
      expect(traffic.failures).toEqual([]);
    });

    it('an upgrade under traffic cuts no connection and refuses none, and the old container ends with its last one', async () => {
      // The last command waits for the end of the old container.
      const upgrade = shell(commands()[1]);
      upgrade.catch(() => undefined);
      node = new HostNetworkNode(podman, `${name}-old`, port);
      const upgraded = new HostNetworkNode(podman, name, port);
      await node.says(/Another node has taken over; this container ends when its engine has no connection left/);
      await upgraded.says(/the saved session runs again, with 1 users/);
      await client.close();
      client = await upgraded.client();
      await goesOn(200);
      await traffic.stop();
      expect({ failures: traffic.failures, status: await node.status() }).toEqual({
        failures: [],
        status: 'running 0',
      });
      expect(await counted()).toEqual([traffic.bytes, traffic.bytes]);
      traffic.close();
      const { stdout } = await upgrade;
      // `wait` prints the exit code.
      expect(stdout.split('\n').slice(1)).toEqual(['0', expect.stringMatching(/./), '']);
      expect(await counted()).toEqual([traffic.bytes, traffic.bytes]);
    });
  },
);
