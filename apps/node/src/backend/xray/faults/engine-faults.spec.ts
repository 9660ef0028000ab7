import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NodeError } from '../../../errors/node-error.js';
import type { BackendConfig } from '../../backend.js';
import { type EnginePlan, planConfig } from '../config/plan/engine-plan.js';
import { EngineFaults } from './engine-faults.js';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const configOf = (text: object, others: Partial<BackendConfig> = {}): BackendConfig => ({
  ...{ text: JSON.stringify(text), excludedInbounds: [] },
  ...others,
});
const CONFIG = configOf({ outbounds: [{ protocol: 'freedom' }] });
const endIn = (frame: string, code = 2) => ({
  exit: { code, signal: null },
  errorLines: ['panic: x', 'goroutine 1 [running]:', frame, '\t/x.go:1'],
});
const QUIC = endIn('github.com/xtls/xray-core/common/protocol/quic.SniffQUIC(0)');
const DNS = endIn('github.com/xtls/xray-core/proxy/dns.(*Handler).handleIPQuery(0)');

describe(EngineFaults.name, () => {
  let folder: string;
  let path: string;
  let due: number;
  const warnings: string[] = [];
  const parts: EngineFaults[] = [];

  const open = async (): Promise<EngineFaults> => {
    const onDue = () => {
      due += 1;
    };
    const faults = new EngineFaults({ path, onDue, warn: (text) => warnings.push(text) });
    parts.push(faults);
    await faults.load();
    return faults;
  };
  const whole = { leftOut: [] };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rampart-faults-'));
    path = join(folder, 'state', 'engine-faults');
    due = 0;
    warnings.splice(0);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'], now: Date.UTC(2026, 10, 27) });
  });
  afterEach(async () => {
    for (const part of parts.splice(0)) {
      part.stop();
      await part.saved();
    }
    jest.useRealTimers();
    rmSync(folder, { recursive: true });
  });

  it('security row 105: leaves a feature out for a day, then two, then four, and at most sixteen', async () => {
    const faults = await open();
    faults.settle(CONFIG);
    for (const [round, days] of [1, 2, 4, 8, 16, 16].entries()) {
      expect(faults.learn(QUIC, whole)).toBe(true);
      expect(faults.leftOutOf(CONFIG)).toEqual(['quic-sniffing']);
      jest.advanceTimersByTime(days * DAY - 1);
      expect([faults.leftOutOf(CONFIG).length, due]).toEqual([1, round]);
      jest.advanceTimersByTime(1);
      expect([faults.leftOutOf(CONFIG).length, due]).toEqual([0, round + 1]);
    }
    expect(faults.counts.get('quic-sniffing')).toBe(6);
  });

  it('security row 105: what could not be tried is tried an hour later', async () => {
    const faults = await open();
    faults.settle(CONFIG);
    faults.learn(QUIC, whole);
    faults.learn(DNS, whole);
    jest.advanceTimersByTime(DAY);
    faults.postpone({ leftOut: ['quic-sniffing'] }, 'no memory');
    expect(faults.leftOutOf(CONFIG)).toEqual(['quic-sniffing']);
    expect(warnings.at(-1)).toBe(
      'what is left out for fault quic-sniffing is tried again at 2026-11-28T01:00:00Z: no memory',
    );
    jest.advanceTimersByTime(HOUR);
    expect([faults.leftOutOf(CONFIG).length, due]).toEqual([0, 2]);
  });

  it('security row 104: another process of the node knows what was learnt, until another configuration runs', async () => {
    const first = await open();
    first.settle(CONFIG);
    first.learn(QUIC, whole);
    first.learn(DNS, { leftOut: ['quic-sniffing'] });
    await first.saved();
    const second = await open();
    expect(second.leftOutOf(CONFIG)).toEqual(['quic-sniffing', 'dns-answer']);
    expect(second.warnings).toEqual(first.warnings);
    for (const other of [
      configOf({ outbounds: [{ protocol: 'blackhole' }] }),
      { ...CONFIG, excludedInbounds: ['a'] },
      { ...CONFIG, allowedNetworks: [] },
    ])
      expect(second.leftOutOf(other)).toEqual([]);
    second.settle({ ...CONFIG, allowedNetworks: [] });
    await second.saved();
    expect((await open()).leftOutOf(CONFIG)).toEqual([]);
    expect(warnings).toHaveLength(2);
  });

  it.each(['', '{}', '{"format":1,"config":"x","seen":[{}]}', '{"format":2,"config":"x","seen":[]}'])(
    'a file with %j is a warning, and is replaced',
    async (text) => {
      const first = await open();
      first.settle(CONFIG);
      first.learn(QUIC, whole);
      await first.saved();
      writeFileSync(path, text);
      const second = await open();
      expect(second.leftOutOf(CONFIG)).toEqual([]);
      expect(warnings.at(-1)).toMatch(/^what has ended the engine before cannot be read: /);
      second.settle(CONFIG);
      second.learn(QUIC, whole);
      await second.saved();
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ format: 1, seen: [{ name: 'quic-sniffing' }] });
    },
  );

  it('a fault that comes although its feature is left out is not known to end by that', async () => {
    const faults = await open();
    faults.settle(CONFIG);
    expect(faults.learn(QUIC, { leftOut: ['quic-sniffing'] })).toBe(false);
    expect(faults.learn(endIn('main.main()'), whole)).toBe(false);
    expect(faults.learn(endIn(QUIC.errorLines[2]!, 1), whole)).toBe(false);
    expect(faults.warnings).toEqual([]);
    expect(faults.counts.get('quic-sniffing')).toBe(1);
  });

  it('security row 104: a start that a known fault ends is tried again without the feature, and any other fails', async () => {
    const faults = await open();
    const failed = (cause: unknown) => new NodeError('START_FAILED', 'the engine ended', { cause });
    const tried: EnginePlan[] = [];
    const ends = [QUIC, DNS];
    const start = () =>
      faults.start(CONFIG, async (plan) => {
        tried.push(plan);
        const end = ends.shift();
        if (end) throw failed(end);
        return 'started';
      });
    expect(await start()).toBe('started');
    expect(tried.map(({ leftOut }) => leftOut)).toEqual([[], ['quic-sniffing'], ['quic-sniffing', 'dns-answer']]);
    ends.push(QUIC);
    await expect(start()).rejects.toThrow('the engine ended');
    ends.push(endIn('main.main()'));
    await expect(start()).rejects.toThrow('the engine ended');
    expect(tried).toHaveLength(5);
  });

  it('a start of another configuration that fails leaves what was learnt', async () => {
    const faults = await open();
    faults.settle(CONFIG);
    faults.learn(QUIC, whole);
    const other = configOf({});
    const panicked = new NodeError('START_FAILED', 'it panicked', { cause: endIn('main.main()') });
    for (const error of [new Error('no port'), panicked])
      await expect(faults.start(other, () => Promise.reject(error))).rejects.toThrow(error.message);
    expect(faults.leftOutOf(CONFIG)).toEqual(['quic-sniffing']);
    expect(faults.reduce(planConfig(other)).leftOut).toEqual(['quic-sniffing']);
    await faults.start(other, async () => undefined);
    expect(faults.leftOutOf(CONFIG)).toEqual([]);
  });
});
