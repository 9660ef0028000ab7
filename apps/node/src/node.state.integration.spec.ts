import { mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type NodeClient, StatType, User, UsersDigest, userDigest } from '@rampart/node-client';
import {
  ALLOW_PRIVATE,
  type EngineClient,
  eventually,
  freePort,
  type LocalWeb,
  scratchFolder,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import { vlessOutbound } from './testing/clients/client-outbounds.js';
import { enginePids } from './testing/engine-pids.js';
import { buildNode, NodeProgram } from './testing/nodes/node-program.js';
import { API_KEY } from './testing/nodes/running-node.js';

const ID = '11111111-1111-4111-8111-111111111111';
const ann = User.fromPartial({ email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] });

describe('a node that ends and is started again', () => {
  let dataDir: string;
  let port: number;
  let web: LocalWeb;
  let client: EngineClient;
  let config: string;
  let node: NodeClient;
  let program: NodeProgram;
  const opened: { close(): Promise<unknown> }[] = [];

  const run = (): NodeProgram => {
    const started = new NodeProgram({
      ...{ RAMPART_API_KEY: API_KEY, RAMPART_NODE_DATA_DIR: dataDir, RAMPART_NODE_TRAFFIC_SECONDS: '1' },
      ...{ RAMPART_NODE_HOST: '127.0.0.1', RAMPART_NODE_PORT: String(port) },
    });
    opened.push({ close: () => started.exit('SIGKILL') });
    return started;
  };
  const connect = async (): Promise<void> => {
    program = run();
    node = await program.client();
    opened.push(node);
  };
  const isServed = () =>
    client.fetch(web.url).then(
      (page) => page === web.page,
      () => false,
    );
  /** The engine of the killed node may still serve for a moment. */
  const isServedAgain = async () => (await isServed()) && (await node.info()).running;
  const downlink = async (): Promise<bigint> => {
    const { stats } = await node.stats({ type: StatType.UserStat, name: '1.ann' });
    return stats.find(({ type }) => type === 'downlink')?.value ?? 0n;
  };
  /** The files of the node that contain one of the texts. */
  const filesWith = async (...texts: string[]): Promise<string[]> => {
    const found: string[] = [];
    for (const file of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      const path = join(file.parentPath, file.name);
      const content = file.isFile() ? await readFile(path) : '';
      if (texts.some((text) => content.includes(text))) found.push(relative(dataDir, path));
    }
    return found;
  };
  /** Waits until all counted traffic has been read. */
  const settled = async (pages: number): Promise<bigint> => {
    await eventually('all pages are counted', async (saw) => saw(await downlink()) >= BigInt(pages * web.page.length));
    return downlink();
  };

  beforeAll(async () => {
    await buildNode();
    dataDir = await mkdtemp(join(scratchFolder(), 'rampart-state-'));
    port = await freePort();
    web = await startLocalWeb();
    const inbound = await freePort();
    config = JSON.stringify({
      inbounds: [
        { tag: 'vless', listen: '127.0.0.1', port: inbound, protocol: 'vless', settings: { decryption: 'none' } },
      ],
      outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
    });
    client = await startEngineClient(vlessOutbound(inbound, ID));
    await connect();
    await node.start({ config, users: [ann], revision: 1n });
  });
  afterAll(async () => {
    await Promise.all(opened.map((part) => part.close()));
    await client.close();
    await web.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('the state files of a node are readable by its own account only (security row 21)', async () => {
    const directory = join(dataDir, 'state');
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(await isServed()).toBe(true);
    await settled(1);
    // A call is answered before a slow disk has written everything.
    await eventually('both files are written', async () => {
      return (await readdir(directory)).sort().join() === 'locks,session,traffic';
    });
    for (const file of ['session', 'traffic']) expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
  });

  it('a second node cannot use the same data directory', async () => {
    const second = run();
    expect(await second.exit()).toBe(1);
    expect(second.output).toContain(
      `another node uses ${join(dataDir, 'state')}: give each node a directory of its own (RAMPART_NODE_DATA_DIR)`,
    );
    expect((await node.info()).running).toBe(true);
  });

  it('a node serves its users again after kill -9 before any call, with the traffic that was read', async () => {
    const before = await settled(1);
    const batch = await node.collectTraffic({});
    expect(batch).toMatchObject({ number: 1n, users: [{ email: '1.ann', downlink: before }] });
    const { configDigest, usersDigest, usersCount, bootId } = await node.info();
    await program.exit('SIGKILL');
    await connect();
    await eventually('ann is served', isServedAgain);
    const again = await node.info();
    expect(again).toMatchObject({ running: true, configDigest, usersDigest, usersCount });
    expect(again.bootId).not.toBe(bootId);
    expect(await node.collectTraffic({})).toEqual(batch);
    const after = await settled(2);
    const next = await node.collectTraffic({ ledger: batch.ledger, acknowledge: 1n });
    expect(next).toMatchObject({
      ledger: batch.ledger,
      number: 2n,
      users: [{ email: '1.ann', downlink: after - before }],
    });
    await node.collectTraffic({ ledger: batch.ledger, acknowledge: 2n });
  });

  it('a node runs again after SIGTERM, and refuses a stale call', async () => {
    await node.syncUser([User.fromPartial({ email: '2.bob', proxies: ann.proxies, inbounds: [], revision: 7n })]);
    expect(await program.exit('SIGTERM')).toBe(0);
    await connect();
    await eventually('ann is served', isServedAgain);
    await expect(node.syncUser([User.fromPartial({ ...ann, email: '2.bob', revision: 6n })])).rejects.toMatchObject({
      code: 'STALE_REVISION',
    });
    const info = await node.info();
    expect(info).toMatchObject({ running: true, usersCount: 1n, warnings: [] });
  });

  it('a node has every user whose change was answered, whenever it is killed', async () => {
    const users: User[] = [ann];
    const digestOf = (some: readonly User[]) => {
      const sum = new UsersDigest();
      for (const user of some) sum.addDigest(userDigest(user));
      return Buffer.from(sum.value);
    };
    for (let round = 0; round < 3; round += 1) {
      const killed = setTimeout(Math.random() * 300).then(() => program.exit('SIGKILL'));
      let answered = users.length;
      for (let ended = false; !ended; ) {
        const id = `22222222-2222-4222-8222-${String(users.length).padStart(12, '0')}`;
        const user = User.fromPartial({ ...ann, email: `${users.length}.more`, proxies: { vless: { id } } });
        users.push(user);
        await node.syncUser([user]).then(
          () => {
            answered = users.length;
          },
          () => {
            ended = true;
          },
        );
      }
      await killed;
      await connect();
      const { usersCount, usersDigest } = await eventually('it runs again', async () => {
        const info = await node.info();
        return info.running && info;
      });
      expect(Number(usersCount)).toBeGreaterThanOrEqual(answered);
      // The last change was still under way, so its user may be missing.
      users.length = Number(usersCount);
      expect(usersDigest).toEqual(digestOf(users));
    }
    expect(users.length).toBeGreaterThan(3);
    await node.syncUsers({ users: [ann], revision: 7n });
  });

  it('a node with a full disk continues with a warning, and saves everything when there is space again', async () => {
    // The next file is written to a device that is always full.
    await symlink('/dev/full', join(dataDir, 'state/session.new'));
    const cid = User.fromPartial({
      email: '3.cid',
      inbounds: ['vless'],
      proxies: { vless: { id: ID.replace(/1/g, '3') } },
    });
    const other = JSON.stringify({ ...JSON.parse(config), stats: {} });
    await node.start({ config: other, users: [ann, cid], revision: 8n });
    const warnings = await eventually('it says so', async () => {
      const info = await node.info();
      return info.warnings.length > 0 && info.warnings;
    });
    expect(warnings).toEqual([
      'the configuration with its users is not on disk: ENOSPC, the disk is full: free some space. ' +
        'The node continues in memory and tries again every 2 s',
    ]);
    expect(await isServed()).toBe(true);
    await node.start({ config, users: [ann], revision: 9n });
    await eventually('it is on disk', async (saw) => saw(await node.info()).warnings.length === 0);
  });

  it('security row 37: a node that is started with another core has no word of its former users on its disk', async () => {
    const id = ID.replace(/1/g, '4');
    const bob = User.fromPartial({ email: '4.bob', inbounds: ['vless'], proxies: { vless: { id } } });
    await node.start({ config, users: [ann, bob], revision: 10n });
    await eventually('bob is on disk', async (saw) => saw((await filesWith('4.bob', id)).join()) === 'state/session');
    const other = JSON.stringify({ ...JSON.parse(config), policy: {} });
    await node.start({ config: other, users: [ann], revision: 11n });
    await eventually('bob is forgotten', async (saw) => saw(await filesWith('4.bob', id)).length === 0);
    expect(await filesWith('1.ann')).toContain('state/session');
  });

  it('a node starts nothing after Stop, and keeps no secret', async () => {
    await node.stop();
    expect((await readdir(join(dataDir, 'state'))).sort()).toEqual(['locks', 'traffic']);
    await program.exit('SIGKILL');
    await connect();
    expect(await node.info()).toMatchObject({ running: false });
    await expect(node.stats({ type: StatType.UsersStat })).rejects.toThrow('backend not initialized');
    expect(await enginePids(dataDir)).toEqual([]);
  });
});
