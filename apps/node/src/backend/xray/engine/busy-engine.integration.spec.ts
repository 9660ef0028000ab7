import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ALLOW_PRIVATE, type EngineClient, eventually, freePort, startEngineClient } from '@rampart/testing';
import { vlessOutbound } from '../../../testing/clients/client-outbounds.js';
import { startEcho, Tunnel } from '../../../testing/clients/tunnel.js';
import { testSettings } from '../../../testing/nodes/test-node.js';
import { processorMsOf } from '../process/processor-time.js';
import { BackendFixture } from '../testing/test-backend.js';

const ANN = '11111111-1111-4111-8111-111111111111';
const USERS = 4000;
const BUSY_MS = 10_000;
const BYTES = 100_000;
const BUSY =
  /^the engine is busy and has not answered since \d{4}-\S+Z: its connections are slow, and their traffic is counted late$/;

describe('an engine that strangers keep busy', () => {
  // One processor is left to the test.
  const test = new BackendFixture(testSettings({ environment: { GOMAXPROCS: '1' } }));
  const ports = { vless: 0, shadowsocks: 0 };
  let client: EngineClient;
  let echo: Awaited<ReturnType<typeof startEcho>>;
  let pid: number;

  /** Sends packets of nobody, each of another port: the engine tries all users for each. */
  const sendJunk = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 1) {
      const socket = createSocket('udp4');
      await new Promise((resolve) => socket.send(randomBytes(60), ports.shadowsocks, '127.0.0.1', resolve));
      socket.close();
    }
  };

  const usedMs = () => processorMsOf(pid) ?? 0;

  /** The processor time that one such packet takes. */
  const costOf = async (count: number): Promise<number> => {
    const before = usedMs();
    await sendJunk(count);
    let last = before;
    let still = 0;
    await eventually('it has tried its users for all of them', () => {
      const now = usedMs();
      still = now - last < 10 && now - before >= count ? still + 1 : 0;
      last = now;
      return still > 5;
    });
    return (last - before) / count;
  };

  beforeAll(async () => {
    echo = await startEcho();
    for (const name of ['vless', 'shadowsocks'] as const) ports[name] = await freePort();
    await test.start(
      {
        inbounds: [
          { tag: 'vless', port: ports.vless, protocol: 'vless', settings: { decryption: 'none' } },
          { tag: 'shadowsocks', port: ports.shadowsocks, protocol: 'shadowsocks', settings: { network: 'tcp,udp' } },
        ].map((inbound) => ({ ...inbound, listen: '127.0.0.1' })),
        outbounds: [{ protocol: 'freedom', settings: ALLOW_PRIVATE }],
      },
      [
        { email: '1.ann', proxies: { vless: { id: ANN } }, inbounds: ['vless'] },
        ...Array.from({ length: USERS }, (_, index) => ({
          ...{ email: `${index + 2}.user`, inbounds: ['shadowsocks'] },
          proxies: { shadowsocks: { password: `password-${index}`, method: 'chacha20-ietf-poly1305' } },
        })),
      ],
    );
    client = await startEngineClient(vlessOutbound(ports.vless, ANN));
    [pid = 0] = await test.pids();
  });
  afterAll(async () => {
    await client.close();
    await test.close();
    echo.close();
  });

  it('security row 131: is not ended while it works, says since when, and its traffic is counted', async () => {
    const live = await Tunnel.open(client.port, echo.port);
    await live.echo(BYTES);
    const perSecond = Math.ceil(1000 / (await costOf(20)));
    const until = usedMs() + BUSY_MS;
    await sendJunk(8 * perSecond);
    await eventually('it is busy', (saw) => saw(test.backend.warnings).some((line) => BUSY.test(line)));
    await expect(test.backend.readTraffic()).rejects.toThrow('the engine did not report its traffic');
    let used = usedMs();
    await eventually(
      `it has worked for ${BUSY_MS} ms`,
      async (saw) => {
        // It is sent as much as it has done.
        for (; usedMs() > used; used += 1000) await sendJunk(perSecond);
        expect(await test.pids()).toEqual([pid]);
        return saw(usedMs()) > until;
      },
      60_000,
    );
    // Nobody asks for it.
    const counted = await eventually('its traffic is counted', (saw) => saw(test.traffic).get('1.ann'), 60_000);
    expect(Number(counted.uplink)).toBeGreaterThanOrEqual(BYTES);
    await eventually('it answers', (saw) => saw(test.backend.warnings).length === 0, 60_000);
    await live.echo(BYTES);
    live.close();
    expect([await test.pids(), test.backend.restarts]).toEqual([[pid], 0]);
    const note = `[rampart] the engine (process ${pid}) works, but has not answered for some seconds: it gets 60 s`;
    expect(test.notes).toContain(note);
  }, 120_000);
});
