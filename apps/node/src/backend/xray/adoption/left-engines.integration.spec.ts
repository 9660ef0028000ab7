import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProbeRequest, StatType, User } from '@rampart/node-client';
import { ALLOW_PRIVATE, type EngineClient, eventually, freePort, startEngineClient } from '@rampart/testing';
import type { NodeSettings } from '../../../env/node.settings.js';
import { vlessOutbound } from '../../../testing/clients/client-outbounds.js';
import { startEcho, Tunnel } from '../../../testing/clients/tunnel.js';
import { enginePids } from '../../../testing/engine-pids.js';
import { testSettings } from '../../../testing/nodes/test-node.js';
import { TrafficStore } from '../../../traffic/traffic-store.js';
import { startTimeOf } from '../process/process-identity.js';
import { rawUsers } from '../testing/test-backend.js';
import { XrayBackend } from '../xray.backend.js';

const ID = '11111111-1111-4111-8111-111111111111';
const ann = User.fromPartial({ email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] });
const PING_BYTES = 50_000;

describe('an engine that a node has left', () => {
  let settings: NodeSettings;
  let runs: TrafficStore;
  let inbound: number;
  let echo: Awaited<ReturnType<typeof startEcho>>;
  let user: EngineClient;
  let tunnel: Tunnel;
  let next: XrayBackend;
  let notes: string[];
  let engine: number;

  /** The backend of a node. All of them count traffic in one store, as one after another does from the disk. */
  const open = (): XrayBackend =>
    new XrayBackend(settings, {
      ...{ runs, log: () => undefined, note: (text) => notes.push(text) },
      lastTraffic: (reading) => void runs.recordTraffic(reading),
    });
  const start = (backend: XrayBackend, others: object = {}) => {
    const vless = { tag: 'vless', listen: '127.0.0.1', port: inbound, protocol: 'vless' };
    const config = {
      inbounds: [{ ...vless, settings: { decryption: 'none' } }],
      outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
      ...others,
    };
    return backend.start({ text: JSON.stringify(config), excludedInbounds: [] }, rawUsers([ann]));
  };
  const counted = async (): Promise<number[]> => {
    await runs.recorded();
    const stats = await runs.totals.queryStats({ type: StatType.UserStat, name: '1.ann', reset: false });
    return stats.map(({ value }) => Number(value));
  };
  const recordFile = async (): Promise<string> => {
    const [name = ''] = await readdir(join(settings.dataDir, 'run'));
    return join(settings.dataDir, 'run', name, 'record');
  };

  beforeAll(async () => {
    echo = await startEcho();
    inbound = await freePort();
    user = await startEngineClient(vlessOutbound(inbound, ID));
  });
  beforeEach(async () => {
    settings = { ...testSettings(), keepSeconds: 60 };
    runs = new TrafficStore();
    notes = [];
    const first = open();
    await start(first);
    tunnel = await Tunnel.open(user.port, echo.port);
    await tunnel.echo(PING_BYTES);
    await first.leave();
    [engine = 0] = await enginePids(settings.dataDir);
    // Nobody reads this until the next node does.
    await tunnel.echo(PING_BYTES);
    next = open();
  });
  afterEach(async () => {
    tunnel.close();
    await next.stop();
    await rm(settings.dataDir, { recursive: true, force: true });
  });
  afterAll(async () => {
    await user?.close();
    echo?.close();
  });

  const expectEnded = async (): Promise<void> => {
    expect(await enginePids(settings.dataDir)).not.toContain(engine);
    expect(await counted()).toEqual([2 * PING_BYTES, 2 * PING_BYTES]);
  };

  it('is ended with its directory when nobody takes it over, after all its traffic was counted', async () => {
    const { run } = JSON.parse(await readFile(await recordFile(), 'utf8'));
    await next.prepare();
    await next.endLeftEngines();
    await expectEnded();
    expect(await readdir(join(settings.dataDir, 'run'))).toEqual([]);
    expect(runs.countedIn(run)).toBeUndefined();
  });

  it('is ended after all its traffic was counted when its configuration cannot be read any more', async () => {
    const file = await recordFile();
    const record = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...record, config: { ...record.config, text: 'no JSON' } }));
    await start(next);
    expect(notes.join('\n')).toContain(`the engine of the previous node (process ${engine}) is ended: `);
    await expectEnded();
  });

  it('is left to the node after next when a shutdown interrupts the start that takes it over', async () => {
    next.abortStart();
    await expect(start(next)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await next.leave();
    next = open();
    await start(next);
    expect(await enginePids(settings.dataDir)).toEqual([engine]);
    await tunnel.echo(PING_BYTES);
  });

  it('is taken over when a start and a probe look for it at the same time', async () => {
    const probed = next.probe(ProbeRequest.fromPartial({ outbounds: '[]', url: 'http://127.0.0.1:1/' }));
    await Promise.all([start(next), probed.catch(() => undefined)]);
    expect(await enginePids(settings.dataDir)).toEqual([engine]);
  });

  it("is taken over when another node's engine for the same data directory has ended", async () => {
    const mark = `${process.ppid}:${startTimeOf(process.ppid)}:${settings.dataDir}`;
    const other = spawn('sleep', ['600'], { env: { ...process.env, RAMPART_ENGINE_OWNER: mark } });
    await eventually('it runs', async (saw) => saw(await enginePids(settings.dataDir)).length === 2);
    const refusal = `another node (process ${process.ppid}) runs an engine for ${settings.dataDir}`;
    for (let attempt = 0; attempt < 2; attempt += 1) await expect(start(next)).rejects.toThrow(refusal);
    other.kill('SIGKILL');
    await once(other, 'exit');
    await start(next);
    expect(await enginePids(settings.dataDir)).toEqual([engine]);
    await tunnel.echo(PING_BYTES);
  });
});
