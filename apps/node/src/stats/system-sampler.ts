import { freemem, totalmem } from 'node:os';
import { limitingMemoryGroup } from '../machine/cgroup.js';
import { type CpuReading, cpuUsage, readCpu } from '../machine/cpu.js';
import { type ReadKernelFile, readKernelFile } from '../machine/kernel-files.js';
import {
  type InterfaceBytes,
  type ListKernelDirectory,
  listKernelDirectory,
  readInterfaceBytes,
} from '../machine/network.js';

/**
 * Memory is in bytes, `received` and `sent` in bytes per second, and `cpuUsage` in percent of the usable processors.
 */
export interface SystemReading {
  readonly memTotal: number;
  readonly memUsed: number;
  readonly cpuCores: number;
  readonly cpuUsage: number;
  readonly received: number;
  readonly sent: number;
}

interface Sample {
  readonly atMs: number;
  readonly cpu: CpuReading;
  readonly network: ReadonlyMap<string, InterfaceBytes>;
}

const SAMPLE_INTERVAL_MS = 2000;
/** Minimum time between the two samples of an answer; results of shorter spans vary too much. */
const MIN_SPAN_MS = 500;
/** Time between the two samples of the first answers, while no earlier sample is old enough. */
const FIRST_SPAN_MS = 200;

/**
 * Samples what this machine or container has and uses, from `startSampling` to `stopSampling`, so that every answer
 * covers a span of time.
 */
export class SystemSampler {
  /** The last two samples. */
  private samples: Sample[] = [];
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly readFile: ReadKernelFile = readKernelFile,
    private readonly listDirectory: ListKernelDirectory = listKernelDirectory,
  ) {}

  startSampling(): void {
    this.keepSample();
    this.timer ??= setInterval(() => this.keepSample(), SAMPLE_INTERVAL_MS).unref();
  }

  stopSampling(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  async readSystem(): Promise<SystemReading> {
    let now = this.takeSample();
    let before = this.samples.findLast(({ atMs }) => now.atMs - atMs >= MIN_SPAN_MS);
    if (before === undefined) {
      before = now;
      await sleep(FIRST_SPAN_MS);
      now = this.takeSample();
    }
    return { ...this.memory(), ...differenceBetween(before, now) };
  }

  private keepSample(): void {
    this.samples = [...this.samples.slice(-1), this.takeSample()];
  }

  private takeSample(): Sample {
    return {
      atMs: performance.now(),
      cpu: readCpu(this.readFile),
      network: readInterfaceBytes(this.readFile, this.listDirectory),
    };
  }

  private memory(): Pick<SystemReading, 'memTotal' | 'memUsed'> {
    const { limit, inUse } = limitingMemoryGroup(this.readFile) ?? { limit: totalmem(), inUse: totalmem() - freemem() };
    return { memTotal: limit, memUsed: Math.min(inUse, limit) };
  }
}

function differenceBetween(from: Sample, to: Sample): Omit<SystemReading, 'memTotal' | 'memUsed'> {
  const elapsedMs = to.atMs - from.atMs;
  let received = 0;
  let sent = 0;
  for (const [name, bytes] of to.network) {
    // An interface that is new, or whose counters were reset, does not count in this span.
    const before = from.network.get(name) ?? bytes;
    received += Math.max(0, bytes.received - before.received);
    sent += Math.max(0, bytes.sent - before.sent);
  }
  return {
    cpuCores: Math.ceil(to.cpu.cpus),
    cpuUsage: cpuUsage(from.cpu, to.cpu, elapsedMs),
    received: Math.round((received * 1000) / elapsedMs),
    sent: Math.round((sent * 1000) / elapsedMs),
  };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
