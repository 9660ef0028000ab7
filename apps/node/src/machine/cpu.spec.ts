import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CpuReading, cpuUsage, parseAllowedCpus, parseCpuTimes, readCpu } from './cpu.js';

const STAT = `cpu  545925 0 190167 2650364 11514 0 3658 459 0 0
cpu0 275811 1 88627 1332357 3545 2 518 220 7 0
cpu1 270113 0 101539 1318007 7968 0 3139 238 0 0
intr 13148029 0 0
ctxt 32886149
`;
const CPU0 = { busy: 275811 + 1 + 88627 + 2 + 518 + 220, total: 275811 + 1 + 88627 + 2 + 518 + 220 + 1332357 + 3545 };
const CPU1 = { busy: 270113 + 101539 + 3139 + 238, total: 270113 + 101539 + 3139 + 238 + 1318007 + 7968 };
const QUOTA = {
  '/proc/self/cgroup': '0::/\n',
  '/proc/self/mountinfo': '633 626 0:28 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n',
  '/sys/fs/cgroup/cpu.max': '150000 100000\n',
  '/sys/fs/cgroup/cpu.stat': 'usage_usec 81245711\n',
};

const reading = (files: Record<string, string>, parallelism = 4) => readCpu((path) => files[path], parallelism);

describe(readCpu.name, () => {
  it('processor times are the sum over the processors that may be used', () => {
    expect(
      reading({ '/proc/stat': STAT, '/proc/self/status': 'Cpus_allowed:\t3\nCpus_allowed_list:\t0-1\n' }, 2),
    ).toEqual({
      cpus: 2,
      groupUsed: undefined,
      times: { busy: CPU0.busy + CPU1.busy, total: CPU0.total + CPU1.total },
    });
    expect(reading({ '/proc/stat': STAT, '/proc/self/status': 'Cpus_allowed_list:\t1\n' }, 1).times).toEqual(CPU1);
    expect(reading({ '/proc/stat': STAT }, 2).times.total).toBe(CPU0.total + CPU1.total);
  });

  it('processor time is that of the group with the limit', () => {
    expect(reading(QUOTA)).toMatchObject({ cpus: 1.5, groupUsed: 81245711 });
    expect(reading(QUOTA, 1)).toMatchObject({ cpus: 1, groupUsed: undefined });
  });

  it('processor times can be read without /proc', () => {
    expect(reading({}).times.total).toBeGreaterThan(0);
  });
});

describe(cpuUsage.name, () => {
  const of = (busy: number, total: number, groupUsed?: number): CpuReading => ({
    cpus: 1.5,
    groupUsed,
    times: { busy, total },
  });

  it.each([
    ['of the machine', of(100, 1000), of(150, 1200), 25],
    ['of what the container may use', of(0, 0, 1_000_000), of(0, 0, 2_500_000), 50],
    ['of at most 100', of(0, 0, 0), of(0, 0, 9_000_000), 100],
    ['of a machine whose counters stood still', of(5, 5), of(5, 5), 0],
    ['of a group whose counter was reset', of(0, 0, 500), of(0, 0, 0), 0],
  ])('processor usage is a percentage %s', (_, from, to, percent) => {
    expect(cpuUsage(from, to, 2000)).toBe(percent);
  });

  it('processor usage is never outside of 0 to 100', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), fc.nat(), (a, b, c, d) => {
        const percent = cpuUsage(of(a, b), of(c, d), 2000);
        expect(percent).toBeGreaterThanOrEqual(0);
        expect(percent).toBeLessThanOrEqual(100);
      }),
    );
  });
});

describe('parsers of processor files in /proc', () => {
  it('the lines of all processors in /proc/stat are parsed', () => {
    expect([...parseCpuTimes(STAT)]).toEqual([
      [0, CPU0],
      [1, CPU1],
    ]);
  });

  it.each([
    ['0-3,8', [0, 1, 2, 3, 8]],
    ['5', [5]],
    ['0,2-3', [0, 2, 3]],
  ])('the list %s of allowed processors is parsed', (list, expected) => {
    expect([...(parseAllowedCpus(`Cpus_allowed_list:\t${list}\n`) ?? [])]).toEqual(expected);
  });

  it('/proc/stat with any text is parsed without an error', () => {
    fc.assert(
      fc.property(fc.string(), fc.stringMatching(/^[0-9,-]{1,12}$/), (text, list) => {
        parseCpuTimes(text);
        expect(parseAllowedCpus(text)).toBeUndefined();
        expect(parseAllowedCpus(`Cpus_allowed_list:\t${list}`)?.size).toBeLessThanOrEqual(65_536);
      }),
    );
  });
});
