import { describe, expect, it } from '@jest/globals';
import { Health } from '../health/health.js';
import { ProgramMetrics } from './program-metrics.js';
import { requestDurations } from './request-durations.js';

/** The lines with figures of these metrics, without help and type. */
const samples = async (metrics: ProgramMetrics, prefix: string): Promise<string[]> =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(prefix));

describe(ProgramMetrics.name, () => {
  it('reads figures at each scrape, and drops the series of what no longer exists', async () => {
    const metrics = new ProgramMetrics();
    const lag = metrics.gauge({ name: 'lag', help: 'Lag.', labelNames: ['node'] });
    let nodes = ['a', 'b'];
    metrics.readAtScrape('nodes', [lag], () => {
      for (const node of nodes) lag.set({ node }, 1);
    });
    expect(await samples(metrics, 'lag')).toEqual(['lag{node="a"} 1', 'lag{node="b"} 1']);
    nodes = ['b'];
    expect(await samples(metrics, 'lag')).toEqual(['lag{node="b"} 1']);
  });

  it('leaves out only the part of a scrape whose reader fails or takes too long, and counts it', async () => {
    const metrics = new ProgramMetrics(20);
    const [broken, hung, well] = ['broken', 'hung', 'well'].map((name) => metrics.gauge({ name, help: 'One.' }));
    metrics.readAtScrape('broken', [broken ?? { reset: () => undefined }], async () => {
      broken?.set(1);
      throw new Error('no database');
    });
    metrics.readAtScrape('hung', [hung ?? { reset: () => undefined }], () => new Promise<void>(() => undefined));
    metrics.readAtScrape('well', [well ?? { reset: () => undefined }], () => well?.set(7));
    const text = await metrics.text();
    expect(text).toContain('\nwell 7\n');
    expect(text).not.toContain('\nbroken 1\n');
    expect(await samples(metrics, 'rampart_scrape_failures_total')).toEqual([
      'rampart_scrape_failures_total{part="broken"} 2',
      'rampart_scrape_failures_total{part="hung"} 2',
      'rampart_scrape_failures_total{part="well"} 0',
    ]);
  });

  it('two scrapes at once read the figures once', async () => {
    const metrics = new ProgramMetrics();
    let reads = 0;
    metrics.readAtScrape('users', [], () => {
      reads += 1;
    });
    await Promise.all([metrics.text(), metrics.text()]);
    expect(reads).toBe(1);
  });

  it('tells the program and its version, its process and its disk', async () => {
    const metrics = new ProgramMetrics();
    metrics.addProcess({ program: 'node', version: '0.5.0', dataDir: '/' });
    const text = await metrics.text();
    expect(text).toContain(`rampart_build_info{program="node",version="0.5.0",node_version="${process.version}"} 1`);
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
      'rampart_disk_size_bytes',
      'rampart_disk_free_bytes',
    ])
      expect(text).toMatch(new RegExp(`^${name} [\\d.e+-]+$`, 'm'));
  });

  it('tells which parts of the program work', async () => {
    const metrics = new ProgramMetrics();
    metrics.addHealth(new Health({ database: () => undefined, coordination: () => 'no connection' }));
    expect(await samples(metrics, 'rampart_ready')).toEqual([
      'rampart_ready{part="database"} 1',
      'rampart_ready{part="coordination"} 0',
    ]);
  });
});

describe(requestDurations.name, () => {
  it('records requests by route pattern, method and status class, with one value for everything unknown', async () => {
    const metrics = new ProgramMetrics();
    const record = requestDurations(metrics);
    record({ route: '/sub/:token', method: 'GET', status: 200, seconds: 0.004 });
    record({ route: '/sub/:token', method: 'GET', status: 206, seconds: 0.3 });
    record({ route: undefined, method: 'PROPFIND', status: 404, seconds: 0.001 });
    record({ route: undefined, method: 'MKCOL', status: 405, seconds: 0.001 });
    expect(await samples(metrics, 'rampart_http_request_duration_seconds_count')).toEqual([
      'rampart_http_request_duration_seconds_count{route="/sub/:token",method="GET",status="2xx"} 2',
      'rampart_http_request_duration_seconds_count{route="unknown",method="other",status="4xx"} 2',
    ]);
    expect(await samples(metrics, 'rampart_http_request_duration_seconds_bucket{le="0.1",route="/sub')).toEqual([
      'rampart_http_request_duration_seconds_bucket{le="0.1",route="/sub/:token",method="GET",status="2xx"} 1',
    ]);
  });
});
