import { mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createNodeClient, type NodeClient, StatType, User } from '@rampart/node-client';
import {
  type EngineClient,
  eventually,
  freePort,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import { enginePids } from '../testing/engine-pids.js';
import { buildNode, NodeProgram } from '../testing/node-program.js';
import { vlessOutbound } from '../testing/outbounds.js';
import { API_KEY } from '../testing/running-node.js';

const READY = /Ready for REST and gRPC on .+, certificate SHA-256 ([0-9A-F:]{95})/;
const ID = '11111111-1111-4111-8111-111111111111';
const ann = User.fromPartial({ email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] });

describe('a node that ends and comes back', () => {
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
    const [, fingerprint256 = ''] = await program.says(READY);
    node = createNodeClient({ transport: 'grpc', host: '127.0.0.1', port, apiKey: API_KEY, tls: { fingerprint256 } });
    opened.push(node);
  };
  const isServed = () =>
    client.fetch(web.url).then(
      (page) => page === web.page,
      () => false,
    );
  const downlink = async (): Promise<bigint> => {
    const { stats } = await node.stats({ type: StatType.UserStat, name: '1.ann' });
    return stats.find(({ type }) => type === 'downlink')?.value ?? 0n;
  };
  /** Waits until nothing is counted any more that was not drained. */
  const settled = async (pages: number): Promise<bigint> => {
    await eventually('all pages are counted', async () => (await downlink()) >= BigInt(pages * web.page.length));
    return downlink();
  };

  beforeAll(async () => {
    await buildNode();
    dataDir = await mkdtemp(join(tmpdir(), 'rampart-state-'));
    port = await freePort();
    web = await startLocalWeb();
    const inbound = await freePort();
    config = JSON.stringify({
      inbounds: [
        { tag: 'vless', listen: '127.0.0.1', port: inbound, protocol: 'vless', settings: { decryption: 'none' } },
      ],
      outbounds: [{ tag: 'direct', protocol: 'freedom' }],
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

  it('keeps its state for its own eyes (security row 21)', async () => {
    const directory = join(dataDir, 'state');
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(await isServed()).toBe(true);
    await settled(1);
    expect((await readdir(directory)).sort()).toEqual(['lock', 'session', 'traffic']);
    for (const file of ['session', 'traffic']) expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
  });

  it('is alone in its directory', async () => {
    const second = run();
    expect(await second.exit()).toBe(1);
    expect(second.output).toContain(
      `another node uses ${join(dataDir, 'state')}: give each node a directory of its own (RAMPART_NODE_DATA_DIR)`,
    );
    expect((await node.info()).running).toBe(true);
  });

  it('serves its users again before anybody calls, after kill -9, with the traffic that was drained', async () => {
    const before = await settled(1);
    const batch = await node.collectTraffic({});
    expect(batch).toMatchObject({ number: 1n, users: [{ email: '1.ann', downlink: before }] });
    await program.exit('SIGKILL');
    await connect();
    await eventually('ann is served', isServed);
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

  it('loses nothing when its engine is killed after a reading', async () => {
    const before = await downlink();
    const [pid = 0] = await enginePids(dataDir);
    process.kill(pid, 'SIGKILL');
    await eventually('ann is served', isServed);
    expect(await settled(3)).toBeGreaterThanOrEqual(before + BigInt(web.page.length));
    expect((await node.info()).restarts).toBe(1n);
  });

  it('loses nothing over SIGTERM, runs again, and knows later that a late call is late', async () => {
    await node.syncUser([User.fromPartial({ email: '2.bob', proxies: ann.proxies, inbounds: [], revision: 7n })]);
    expect(await isServed()).toBe(true);
    const before = await downlink();
    expect(await program.exit('SIGTERM')).toBe(0);
    await connect();
    await eventually('ann is served', isServed);
    expect(await downlink()).toBeGreaterThanOrEqual(before);
    await expect(node.syncUser([User.fromPartial({ ...ann, email: '2.bob', revision: 6n })])).rejects.toMatchObject({
      code: 'STALE_REVISION',
    });
    const info = await node.info();
    expect(info).toMatchObject({ running: true, usersCount: 1n, warnings: [] });
  });

  it('serves on when the disk is full, says so, and is whole again when there is space', async () => {
    // The next file is written through a device that is always full.
    await symlink('/dev/full', join(dataDir, 'state/session.new'));
    const cid = User.fromPartial({
      email: '3.cid',
      inbounds: ['vless'],
      proxies: { vless: { id: ID.replace(/1/g, '3') } },
    });
    await node.start({ config, users: [ann, cid], revision: 8n });
    const { warnings } = await node.info();
    expect(warnings).toEqual([
      'the configuration with its users is not on disk: ENOSPC, the disk is full: free some space. ' +
        'The node works on in memory and tries again every 10 s',
    ]);
    expect(await isServed()).toBe(true);
    await node.start({ config, users: [ann], revision: 9n });
    expect((await node.info()).warnings).toEqual([]);
  });

  it('starts nothing after Stop, and keeps no secret', async () => {
    await node.stop();
    expect((await readdir(join(dataDir, 'state'))).sort()).toEqual(['lock', 'traffic']);
    await program.exit('SIGKILL');
    await connect();
    expect(await node.info()).toMatchObject({ running: false });
    await expect(node.stats({ type: StatType.UsersStat })).rejects.toThrow('backend not initialized');
    expect(await enginePids(dataDir)).toEqual([]);
  });
});
