import { statfs } from 'node:fs/promises';
import { cpus, freemem, totalmem } from 'node:os';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ManagementEnv } from '../env/management-env.js';

const SAMPLE_MS = 2_000;

/** Processor time since the machine started, in its own unit. */
export interface CpuTime {
  busy: number;
  all: number;
}

export interface MachineView {
  /** The memory in bytes. */
  mem_total: number;
  /** The memory in use, in bytes. */
  mem_used: number;
  /** The size in bytes of the disk with the data folder. */
  disk_total: number;
  /** The used part of that disk in bytes. */
  disk_used: number;
  /** The number of processors. */
  cpu_cores: number;
  /**
   * The load of all processors in percent.
   * @decimal
   */
  cpu_usage: number;
  /** The number of seconds since this program started. */
  uptime_seconds: number;
}

/** The machine on which management runs. */
@Injectable()
export class Machine implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private before: CpuTime = { busy: 0, all: 0 };
  private latest = cpuTime();
  private timer?: NodeJS.Timeout;

  constructor(private readonly env: ManagementEnv) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.before = this.latest;
      this.latest = cpuTime();
    }, SAMPLE_MS);
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** The current figures of the machine. */
  async view(): Promise<MachineView> {
    const disk = await statfs(this.env.dataDir);
    const memory = totalmem();
    return {
      mem_total: memory,
      mem_used: memory - freemem(),
      disk_total: disk.blocks * disk.bsize,
      disk_used: (disk.blocks - disk.bfree) * disk.bsize,
      cpu_cores: cpus().length,
      cpu_usage: cpuUsage(this.before, this.latest),
      uptime_seconds: Math.floor(process.uptime()),
    };
  }
}

function cpuTime(): CpuTime {
  const times = cpus().map(({ times }) => times);
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { all, busy: all - times.reduce((sum, { idle }) => sum + idle, 0) };
}

/** The load between two readings, in percent with one decimal. */
export function cpuUsage(before: CpuTime, after: CpuTime): number {
  const all = after.all - before.all;
  return all > 0 ? Math.round((1_000 * (after.busy - before.busy)) / all) / 10 : 0;
}
