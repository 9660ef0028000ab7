import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type NodeClient, User } from '@rampart/node-client';
import { eventually, freePort } from '@rampart/testing';
import { enginePids } from '../testing/engine-pids.js';
import { buildNode, NodeProgram } from '../testing/nodes/node-program.js';
import { API_KEY } from '../testing/nodes/running-node.js';

const ID = '11111111-1111-4111-8111-111111111111';
const ann = User.fromPartial({ email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] });
const OK = { status: 'ok' };

describe('the metrics and the health of a node', () => {
  let dataDir: string;
  let url: string;
  let inbound: number;
  let program: NodeProgram;
  let node: NodeClient;

  const config = (number: number) =>
    JSON.stringify({
      inbounds: [
        { tag: 'vless', listen: '127.0.0.1', port: inbound, protocol: 'vless', settings: { decryption: 'none' } },
      ],
      outbounds: [{ tag: `direct-${number}`, protocol: 'freedom' }],
    });
  const ready = async () => {
    const answer = await fetch(`${url}/health/ready`);
    return { status: answer.status, body: await answer.json() };
  };
  /** The value of one series. */
  const figure = async (series: string): Promise<number | undefined> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length));
  };

  beforeAll(async () => {
    await buildNode();
    dataDir = await mkdtemp(join(tmpdir(), 'rampart-metrics-'));
    inbound = await freePort();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    program = new NodeProgram({
      RAMPART_API_KEY: API_KEY,
      RAMPART_NODE_HOST: '127.0.0.1',
      RAMPART_NODE_PORT: String(await freePort()),
      RAMPART_NODE_DATA_DIR: dataDir,
      RAMPART_NODE_METRICS_PORT: String(port),
    });
    node = await program.client();
    await program.says(/Metrics are on/);
  });

  afterAll(async () => {
    await node.close();
    await program.exit('SIGTERM');
    await rm(dataDir, { recursive: true });
  });

  it('a node that nobody has started is ready, and its engine is not wanted', async () => {
    expect(await ready()).toEqual({ status: 200, body: { status: 'ok', parts: { engine: OK, disk: OK } } });
    expect(await figure('rampart_engine_wanted')).toBe(0);
    expect(await figure('rampart_engine_running')).toBe(0);
    expect(await figure('rampart_engine_memory_bytes{engine="serving"}')).toBe(0);
  });

  it('the engine, its memory and its users are told, refused ones too', async () => {
    const twin = User.fromPartial({ ...ann, email: '2.twin' });
    await node.start({ config: config(1), users: [ann, twin] });
    expect(await figure('rampart_engine_wanted')).toBe(1);
    expect(await figure('rampart_engine_running')).toBe(1);
    expect(await figure('rampart_engine_users')).toBe(1);
    expect(await figure('rampart_engine_refused_users')).toBe(1);
    expect(await figure('rampart_engine_online_users')).toBe(0);
    expect(await figure('rampart_engine_memory_bytes{engine="serving"}')).toBeGreaterThan(2 ** 20);
  });

  it('handovers are counted by what has changed', async () => {
    await node.start({ config: config(2), users: [ann] });
    expect(await figure('rampart_engine_handovers_total{change="configuration"}')).toBe(1);
    expect(await figure('rampart_engine_handovers_total{change="users"}')).toBe(0);
    expect(await figure('rampart_engine_change_restarts_total')).toBe(0);
  });

  it('restarts of a killed engine are counted', async () => {
    await eventually('one engine is left', async (saw) => saw(await enginePids(dataDir)).length === 1);
    const [pid = 0] = await enginePids(dataDir);
    process.kill(pid, 'SIGKILL');
    await eventually('the restart is told', async (saw) => saw(await figure('rampart_engine_restarts_total')) === 1);
    await eventually('the node is ready again', async (saw) => saw(await ready()).status === 200);
  });

  it('gRPC calls are told by method and status, REST requests by route, and both without a key too', async () => {
    const count = (labels: string) => figure(`rampart_grpc_request_duration_seconds_count{${labels}}`);
    expect(await count('method="Start",code="OK"')).toBe(2);
    await expect(node.start({ config: '{' })).rejects.toThrow();
    expect(await count('method="Start",code="INVALID_ARGUMENT"')).toBe(1);
    const rest = await program.client('rest');
    await rest.info();
    await rest.close();
    const stranger = await program.client('rest', 'another-key-of-the-tests');
    await expect(stranger.info()).rejects.toThrow();
    await stranger.close();
    const requests = (status: string) =>
      figure(`rampart_http_request_duration_seconds_count{route="/info",method="GET",status="${status}"}`);
    expect([await requests('2xx'), await requests('4xx')]).toEqual([1, 1]);
  });

  it('no series names a user', async () => {
    expect(await (await fetch(`${url}/metrics`)).text()).not.toMatch(/ann|twin/);
  });
});
