import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type NodeClient, User } from '@rampart/node-client';
import {
  ALLOW_PRIVATE,
  BREAKS,
  BreakableDisk,
  canMakeImmutable,
  canMount,
  type EngineClient,
  eventually,
  freePort,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import { vlessOutbound } from '../testing/clients/client-outbounds.js';
import { enginePids } from '../testing/engine-pids.js';
import { buildNode, NodeProgram } from '../testing/nodes/node-program.js';
import { API_KEY } from '../testing/nodes/running-node.js';

const ID = '11111111-1111-4111-8111-111111111111';
const ann = User.fromPartial({ email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] });

const WARNINGS = {
  full: 'ENOSPC, the disk is full: free some space',
  'read-only': 'EROFS, the file system is read-only: mount it for writing',
  immutable: 'EPERM, the node may not write there: give it the directory',
};

describe.each(Object.keys(BREAKS) as (keyof typeof BREAKS)[])('a node whose data folder becomes %s', (how) => {
  const possible = how === 'immutable' ? canMakeImmutable() : canMount();
  const test = possible ? it : it.skip;
  let disk: BreakableDisk;
  let web: LocalWeb;
  let inbound: number;
  let client: EngineClient;
  let metricsPort: number;
  const opened: { close(): Promise<unknown> }[] = [];

  const connect = async (): Promise<{ program: NodeProgram; node: NodeClient }> => {
    const program = new NodeProgram(
      {
        ...{ RAMPART_API_KEY: API_KEY, RAMPART_NODE_DATA_DIR: disk.directory },
        ...{ RAMPART_NODE_HOST: '127.0.0.1', RAMPART_NODE_PORT: String(await freePort()) },
        RAMPART_NODE_METRICS_PORT: String(metricsPort),
      },
      { wrapper: disk.wrapper },
    );
    opened.push({ close: () => program.exit('SIGKILL') });
    const node = await program.client();
    opened.push(node);
    return { program, node };
  };
  const config = (number: number) =>
    JSON.stringify({
      inbounds: [
        { tag: 'vless', listen: '127.0.0.1', port: inbound, protocol: 'vless', settings: { decryption: 'none' } },
      ],
      outbounds: [{ tag: `direct-${number}`, protocol: 'freedom', settings: ALLOW_PRIVATE }],
    });
  const served = () =>
    eventually('ann is served', () =>
      client.fetch(web.url).then(
        (page) => page === web.page,
        () => false,
      ),
    );
  /** What `/health/ready` says of one part. */
  const readyPart = async (part: string): Promise<{ status: string }> => {
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/health/ready`);
    return Object((await answer.json()) as object)['parts'][part];
  };
  /** Kills the engine and waits for the next one. */
  const killEngine = async (): Promise<void> => {
    const [before = 0] = await enginePids(disk.directory);
    process.kill(before, 'SIGKILL');
    await eventually('another engine runs', async () => {
      const pids = await enginePids(disk.directory);
      return pids.length === 1 && pids[0] !== before;
    });
    await served();
  };

  beforeAll(async () => {
    if (!possible) return;
    await buildNode();
    web = await startLocalWeb();
    inbound = await freePort();
    metricsPort = await freePort();
    client = await startEngineClient(vlessOutbound(inbound, ID));
    disk = new BreakableDisk();
    await disk.ready();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((part) => part.close()));
  });
  afterAll(async () => {
    if (!possible) return;
    await client.close();
    await web.close();
    disk.close();
  });

  test('a node with a failing disk restarts a killed engine, changes the configuration, reports the problem and ends cleanly', async () => {
    const { program, node } = await connect();
    await node.start({ config: config(1), users: [ann], revision: 1n });
    await served();
    await eventually('the session is on disk', async (saw) => saw(await node.info()).warnings.length === 0);
    expect(await readyPart('disk')).toEqual({ status: 'ok' });

    await disk.break(how);
    await killEngine();
    await killEngine();
    expect(await node.start({ config: config(2), users: [ann], revision: 2n })).toMatchObject({ running: true });
    await served();
    const bob = User.fromPartial({ ...ann, email: '2.bob', proxies: { vless: { id: ID.replaceAll('1', '2') } } });
    await node.syncUsers({ users: [ann, bob], revision: 3n });
    const problem = `is not on disk: ${WARNINGS[how]}. The node continues in memory and tries again every 2 s`;
    await eventually('it says what is wrong', async (saw) =>
      saw(await node.info()).warnings.some((warning) => warning.endsWith(problem)),
    );
    await eventually('/health/ready says so', async (saw) => saw(await readyPart('disk')).status === 'unavailable');
    expect(await readyPart('disk')).toEqual({
      status: 'unavailable',
      reason: 'the disk has not taken what must be stored: the log says why',
    });
    expect(await readyPart('engine')).toEqual({ status: 'ok' });
    expect(await program.exit('SIGTERM')).toBe(0);
    expect(await enginePids(disk.directory)).toEqual([]);
  });

  test('a node that starts on a failing disk restores the session that it finds', async () => {
    const { program, node } = await connect();
    await eventually('the engine runs', async (saw) => saw(await node.info()).running);
    await served();
    await killEngine();
    expect(await program.exit('SIGTERM')).toBe(0);
  });
});
