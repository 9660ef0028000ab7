import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type NodeClient, StatType, User } from '@rampart/node-client';
import {
  ALLOW_PRIVATE,
  type EngineClient,
  eventually,
  freePort,
  scratchFolder,
  startEngineClient,
} from '@rampart/testing';
import { vlessOutbound } from '../testing/clients/client-outbounds.js';
import { SteadyTraffic } from '../testing/clients/steady-traffic.js';
import { startEcho } from '../testing/clients/tunnel.js';
import { enginePids } from '../testing/engine-pids.js';
import { buildNode, NodeProgram } from '../testing/nodes/node-program.js';
import { API_KEY } from '../testing/nodes/running-node.js';

const DRAIN_MS = 1000;
/** Time for a reading and its way to the disk on a busy machine. */
const READING_MS = 500;
const ID = '11111111-1111-4111-8111-111111111111';
const ann = User.fromPartial({ email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] });

describe('traffic during a kill', () => {
  let dataDir: string;
  let port: number;
  let echo: Awaited<ReturnType<typeof startEcho>>;
  let user: EngineClient;
  let program: NodeProgram;
  let node: NodeClient;
  let traffic: SteadyTraffic;

  const run = async (): Promise<void> => {
    program = new NodeProgram({
      ...{ RAMPART_API_KEY: API_KEY, RAMPART_NODE_DATA_DIR: dataDir, RAMPART_NODE_HOST: '127.0.0.1' },
      ...{ RAMPART_NODE_PORT: String(port), RAMPART_NODE_TRAFFIC_SECONDS: String(DRAIN_MS / 1000) },
    });
    node = await program.client();
  };
  const runAgain = async (signal: NodeJS.Signals): Promise<void> => {
    await program.exit(signal);
    await node.close();
    await run();
  };
  /** The recorded bytes of the user; both directions carry the same here. */
  const booked = async (): Promise<{ uplink: number; downlink: number }> => {
    const { stats } = await node.stats({ type: StatType.UserStat, name: '1.ann' });
    const of = (direction: string) => Number(stats.find(({ type }) => type === direction)?.value ?? 0n);
    return { uplink: of('uplink'), downlink: of('downlink') };
  };
  const moves = (): Promise<unknown> => {
    const before = traffic.received;
    return eventually('traffic moves', (saw) => saw(traffic.received) > before + 100_000, 20_000);
  };
  /**
   * Waits for traffic, kills something, waits for traffic again, and compares the transferred bytes with the recorded
   * ones.
   */
  const loss = async (kill: () => Promise<void>) => {
    const before = await booked();
    traffic = new SteadyTraffic(user.port, echo.port);
    await eventually(
      'some intervals have passed',
      (saw) => saw(traffic.receivedBy(performance.now() - 2.5 * DRAIN_MS)) > 0,
    );
    const killed = performance.now();
    await kill();
    await moves();
    await traffic.stop();
    const { uplink, downlink } = await booked();
    return {
      sent: traffic.sent,
      bookedUplink: uplink - before.uplink,
      bookedDownlink: downlink - before.downlink,
      lost: traffic.received - (downlink - before.downlink),
      /** The bytes transferred in the last interval before the kill. */
      most: traffic.receivedBy(killed) - traffic.receivedBy(killed - DRAIN_MS - READING_MS),
      least: traffic.receivedBy(killed - DRAIN_MS - READING_MS),
    };
  };

  beforeAll(async () => {
    await buildNode();
    dataDir = await mkdtemp(join(scratchFolder(), 'rampart-kill-'));
    port = await freePort();
    echo = await startEcho();
    const inbound = await freePort();
    user = await startEngineClient(vlessOutbound(inbound, ID));
    await run();
    const vless = { tag: 'vless', listen: '127.0.0.1', port: inbound, protocol: 'vless' };
    const config = JSON.stringify({
      inbounds: [{ ...vless, settings: { decryption: 'none' } }],
      outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
    });
    await node.start({ config, users: [ann] });
  });
  afterAll(async () => {
    await traffic?.stop();
    await node?.close();
    await program?.exit('SIGKILL');
    await user?.close();
    echo?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it.each([
    ['the node', () => runAgain('SIGKILL')],
    [
      'the engine',
      async () => {
        const [pid = 0] = await enginePids(dataDir);
        process.kill(pid, 'SIGKILL');
        await eventually('another engine runs', async (saw) => saw(await node.info()).restarts === 1n);
      },
    ],
  ])('traffic is lost for at most the last interval when %s is killed, and never counted twice', async (_, kill) => {
    const { sent, bookedUplink, bookedDownlink, lost, most, least } = await loss(kill);
    // The bound means something only if much more was transferred.
    expect(least).toBeGreaterThan(0);
    expect(lost).toBeLessThanOrEqual(most);
    expect(bookedDownlink).toBeLessThanOrEqual(sent);
    expect(bookedUplink).toBeLessThanOrEqual(sent);
    expect(bookedUplink).toBeGreaterThanOrEqual(bookedDownlink);
    const batch = await node.collectTraffic({});
    expect(batch.users).toEqual([{ email: '1.ann', uplink: BigInt(bookedUplink), downlink: BigInt(bookedDownlink) }]);
    await node.collectTraffic({ ledger: batch.ledger, acknowledge: batch.number });
  });

  it('traffic is counted to the byte across a clean end', async () => {
    const before = await booked();
    traffic = new SteadyTraffic(user.port, echo.port);
    await moves();
    await traffic.stop();
    expect(traffic.sent).toBe(traffic.received);
    await runAgain('SIGTERM');
    const after = await eventually('it is running again', async (saw) => saw(await node.info()).running && booked());
    expect({ uplink: after.uplink - before.uplink, downlink: after.downlink - before.downlink }).toEqual({
      uplink: traffic.sent,
      downlink: traffic.received,
    });
    const { users } = await node.collectTraffic({});
    expect(users).toEqual([{ email: '1.ann', uplink: BigInt(traffic.sent), downlink: BigInt(traffic.received) }]);
  });
});
