import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { Health } from '../health/health.js';
import { listenForMetrics, MetricsServer } from './metrics-server.js';
import { ProgramMetrics } from './program-metrics.js';

const TOKEN = 'a token for Prometheus'.replaceAll(' ', '-');
const SETTINGS = { hostSetting: 'METRICS_HOST', portSetting: 'METRICS_PORT' };

describe(MetricsServer.name, () => {
  const open: MetricsServer[] = [];
  const lines: string[] = [];
  let problem: string | undefined;

  async function start(token?: string, host = '127.0.0.1', port = 0): Promise<string> {
    const server = new MetricsServer({
      metrics: new ProgramMetrics(),
      health: new Health({ disk: () => problem }),
      token,
    });
    open.push(server);
    const log = (kind: string) => (line: string) => void lines.push(`${kind}: ${line}`);
    const settings = { metricsAddress: { host, port, ...SETTINGS }, metricsToken: token };
    await listenForMetrics(server, settings, { log: log('log'), warn: log('warn') });
    return `http://127.0.0.1:${Object(server.getHttpServer().address()).port}`;
  }

  const get = async (url: string, options: RequestInit = {}) => {
    const answer = await fetch(url, options);
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };

  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
    lines.length = 0;
    problem = undefined;
  });

  it('shows the metrics in the text format of Prometheus, to everybody where no token is set', async () => {
    const url = await start();
    const { status, type, text } = await get(`${url}/metrics`);
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text).toContain('rampart_ready{part="disk"} 1');
    expect(lines).toEqual([`log: Metrics are on ${url}/metrics`]);
  });

  it('security row 135: idle connections give way to a new one, and are closed after seconds', async () => {
    const url = await start();
    const { port } = new URL(url);
    const idle: Socket[] = [];
    for (let n = 0; n < 70; n += 1) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      idle.push(socket.resume());
      await once(socket, 'connect');
    }
    expect((await get(`${url}/health/live`)).status).toBe(200);
    await eventually(
      'the oldest are closed',
      (saw) => saw(idle.slice(0, 6).filter(({ closed }) => closed)).length === 6,
    );
    const began = performance.now();
    await eventually('all are closed', (saw) => saw(idle.filter(({ closed }) => !closed)).length === 0);
    expect(performance.now() - began).toBeLessThan(8_000);
  });

  it('refuses to show the metrics without the token, and with another one', async () => {
    const url = await start(TOKEN);
    const shown = (authorization?: string) =>
      get(`${url}/metrics`, authorization === undefined ? {} : { headers: { authorization } });
    expect((await shown(`Bearer ${TOKEN}`)).status).toBe(200);
    const refused = { status: 401, type: 'text/plain; charset=utf-8', text: 'Unauthorized\n' };
    for (const header of [undefined, `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, 'Bearer', `Bearer ${TOKEN.slice(1)}`])
      expect({ header, ...(await shown(header)) }).toEqual({ header, ...refused });
  });

  it('shows health without the token: live at once, ready with 503 and the part that does not work', async () => {
    const url = await start(TOKEN);
    const type = 'application/json; charset=utf-8';
    expect(await get(`${url}/health/live`)).toEqual({ status: 200, type, text: '{"status":"ok"}' });
    const ready = '{"status":"ok","parts":{"disk":{"status":"ok"}}}';
    expect(await get(`${url}/health/ready`)).toEqual({ status: 200, type, text: ready });
    problem = 'the disk is full';
    const other = await start();
    const text = '{"status":"unavailable","parts":{"disk":{"status":"unavailable","reason":"the disk is full"}}}';
    expect(await get(`${other}/health/ready`)).toEqual({ status: 503, type, text });
  });

  it('answers other paths with 404 and other methods with 405, and HEAD without a body', async () => {
    const url = await start();
    expect((await get(`${url}/`)).status).toBe(404);
    expect((await get(`${url}/metrics`, { method: 'POST', body: 'x' })).status).toBe(405);
    const head = await get(`${url}/metrics?x=1`, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('warns when others than this machine can read the metrics without a token', async () => {
    await start(undefined, '0.0.0.0');
    expect(lines.at(-1)).toBe(
      'warn: Everybody who can reach that address can read the metrics: no token is set for them',
    );
    await start(TOKEN, '0.0.0.0');
    expect(lines.at(-1)).toMatch(/^log: /);
  });

  it('names the setting when its port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = Object(taken.address());
    await expect(start(undefined, '127.0.0.1', port)).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is taken by another program: set METRICS_PORT to a free one.`,
    );
    taken.close();
  });
});
