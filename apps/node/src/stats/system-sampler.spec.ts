import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SystemSampler } from './system-sampler.js';

const FILES: Record<string, string> = {
  '/proc/self/cgroup': '0::/\n',
  '/proc/self/mountinfo': '633 626 0:28 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n',
  '/sys/fs/cgroup/memory.max': '536870912\n',
  '/sys/fs/cgroup/memory.current': '201326592\n',
  '/sys/fs/cgroup/memory.stat': 'inactive_file 67108864\n',
  '/sys/fs/cgroup/cpu.max': '50000 100000\n',
};

describe(SystemSampler.name, () => {
  let received = 0;
  let usedMicroseconds = 0;
  let sampler: SystemSampler;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick'] });
    [received, usedMicroseconds] = [0, 0];
    sampler = new SystemSampler(
      (path) => {
        if (path === '/proc/net/dev') return `  eth0: ${received} 1 0 0 0 0 0 0 ${2 * received} 1 0 0 0 0 0 0\n`;
        if (path === '/sys/fs/cgroup/cpu.stat') return `usage_usec ${usedMicroseconds}\n`;
        return FILES[path];
      },
      () => ['device'],
    );
  });
  afterEach(() => {
    sampler.stopSampling();
    jest.useRealTimers();
  });

  /** Advances the time, at 1,000 bytes and 0.1 s of processor time per second. */
  const pass = async (ms: number): Promise<void> => {
    for (let step = 0; step < ms; step += 100) {
      received += 100;
      usedMicroseconds += 10_000;
      await jest.advanceTimersByTimeAsync(100);
    }
  };

  it('system statistics are in bytes, bytes per second and percent of what the container may use', async () => {
    sampler.startSampling();
    await pass(5000);
    expect(await sampler.readSystem()).toEqual({
      memTotal: 512 * 2 ** 20,
      memUsed: 128 * 2 ** 20,
      cpuCores: 1,
      cpuUsage: expect.closeTo(20, 1),
      received: 1000,
      sent: 2000,
    });
  });

  it('the first system statistics come from a short sample of their own and are not zero', async () => {
    sampler.startSampling();
    const first = sampler.readSystem();
    await pass(200);
    expect(await first).toMatchObject({ cpuUsage: expect.closeTo(20, 1), received: 1000, sent: 2000 });
  });

  it('system statistics are compared with a sample that is not too recent', async () => {
    sampler.startSampling();
    await pass(2000);
    received += 1_000_000;
    await jest.advanceTimersByTimeAsync(100);
    expect((await sampler.readSystem()).received).toBeLessThan(500_000);
  });

  it('an interface whose counters were reset adds nothing to the bandwidth', async () => {
    sampler.startSampling();
    await pass(4000);
    received = 0;
    expect(await sampler.readSystem()).toMatchObject({ received: 0, sent: 0 });
  });

  it('the system sampler runs one timer, and none after it is stopped', () => {
    sampler.startSampling();
    sampler.startSampling();
    expect(jest.getTimerCount()).toBe(1);
    sampler.stopSampling();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('this machine', () => {
  it('has memory, processors and a processor usage', async () => {
    const reading = await new SystemSampler().readSystem();
    expect(reading.memUsed).toBeGreaterThan(0);
    expect(reading.memTotal).toBeGreaterThan(reading.memUsed);
    expect(reading.cpuCores).toBeGreaterThan(0);
    expect(reading.cpuUsage).toBeGreaterThanOrEqual(0);
    expect(reading.cpuUsage).toBeLessThanOrEqual(100);
  });
});
