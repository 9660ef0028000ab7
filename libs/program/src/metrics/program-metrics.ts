import { statfs } from 'node:fs/promises';
import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client';
import type { Health } from '../health/health.js';
import { unlessLate } from '../health/unless-late.js';

type Without<T> = Omit<T, 'registers' | 'collect'>;

/** Figures that are read at each scrape. */
interface Reader {
  readonly part: string;
  readonly series: readonly { reset(): void }[];
  readonly read: () => Promise<void> | void;
}

/** How long a reader may take, in ms. Prometheus itself gives up after 10 s by default. */
const READ_MS = 5_000;

/** The metrics of one program. Labels must have a small, closed set of values: never a user, an address or a path. */
export class ProgramMetrics {
  private readonly registry = new Registry();
  private readonly readers: Reader[] = [];
  private readonly failures = this.counter({
    name: 'rampart_scrape_failures_total',
    help: 'Parts of scrapes that were left out because their figures could not be read.',
    labelNames: ['part'],
  });
  private scrape?: Promise<string>;

  /** @param readMs the time in ms after which a reader is not waited for any longer. */
  constructor(private readonly readMs = READ_MS) {}

  /** The media type of `text`. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** A number that only grows. */
  counter<T extends string>(options: Without<CounterConfiguration<T>>): Counter<T> {
    return new Counter({ ...options, registers: [this.registry] });
  }

  /** A number that rises and falls. */
  gauge<T extends string>(options: Without<GaugeConfiguration<T>>): Gauge<T> {
    return new Gauge({ ...options, registers: [this.registry] });
  }

  /** How often values fell into each of some ranges, such as durations in seconds. */
  histogram<T extends string>(options: Without<HistogramConfiguration<T>>): Histogram<T> {
    return new Histogram({ ...options, registers: [this.registry] });
  }

  /**
   * Has figures read at each scrape. A reader that fails or takes too long leaves out its own series only, and counts in
   * `rampart_scrape_failures_total`.
   *
   * @param part names the figures in that counter.
   * @param series what the reader sets; all of it is emptied before, so that what no longer exists disappears.
   */
  readAtScrape(part: string, series: Reader['series'], read: Reader['read']): void {
    this.failures.inc({ part }, 0);
    this.readers.push({ part, series, read });
  }

  /** Adds what every program has: its version, and figures of its process and of the disk with its data. */
  addProcess({ program, version, dataDir }: { program: string; version: string; dataDir: string }): void {
    collectDefaultMetrics({ register: this.registry });
    this.gauge({
      name: 'rampart_build_info',
      help: 'Always 1; the labels say which program and version this is.',
      labelNames: ['program', 'version', 'node_version'],
    }).set({ program, version, node_version: process.version }, 1);
    const size = this.gauge({ name: 'rampart_disk_size_bytes', help: 'Size of the disk with the data folder.' });
    const free = this.gauge({ name: 'rampart_disk_free_bytes', help: 'Space on that disk that the program may use.' });
    this.readAtScrape('disk', [size, free], async () => {
      const { blocks, bavail, bsize } = await statfs(dataDir);
      size.set(blocks * bsize);
      free.set(bavail * bsize);
    });
  }

  /** Adds whether each part of the program works. */
  addHealth(health: Health): void {
    const ready = this.gauge({
      name: 'rampart_ready',
      help: 'Whether the part of the program works: 1 or 0. /health/ready says why it does not.',
      labelNames: ['part'],
    });
    this.readAtScrape('ready', [ready], async () => {
      for (const [part, { status }] of Object.entries((await health.report()).parts)) {
        ready.set({ part }, status === 'ok' ? 1 : 0);
      }
    });
  }

  /** All figures in the text format of Prometheus. Who asks while they are being read gets the same answer. */
  text(): Promise<string> {
    this.scrape ??= this.readAll().finally(() => {
      this.scrape = undefined;
    });
    return this.scrape;
  }

  private async readAll(): Promise<string> {
    await Promise.all(this.readers.map((reader) => this.readPart(reader)));
    return this.registry.metrics();
  }

  private async readPart({ part, series, read }: Reader): Promise<void> {
    for (const one of series) one.reset();
    try {
      await unlessLate(read, this.readMs);
    } catch {
      for (const one of series) one.reset();
      this.failures.inc({ part });
    }
  }
}
