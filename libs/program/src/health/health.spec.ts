import { describe, expect, it } from '@jest/globals';
import { Health, healthStatus } from './health.js';

describe(Health.name, () => {
  it('is ok when every part works', async () => {
    const report = await new Health({ database: () => undefined, disk: async () => undefined }).report();
    expect(report).toEqual({ status: 'ok', parts: { database: { status: 'ok' }, disk: { status: 'ok' } } });
    expect(healthStatus(report)).toBe(200);
  });

  it('says which part does not work and why, also when its check fails or hangs, without the text of the error', async () => {
    const checks = {
      engine: () => 'the engine does not run',
      database: () => Promise.reject(new Error('password authentication failed for user "rampart"')),
      disk: () => new Promise<undefined>(() => undefined),
      memory: () => undefined,
    };
    const report = await new Health(checks, undefined, 20).report();
    const failed = { status: 'unavailable', reason: 'the check failed, or took longer than 0.02 s' };
    expect(report).toEqual({
      status: 'unavailable',
      parts: {
        engine: { status: 'unavailable', reason: 'the engine does not run' },
        database: failed,
        disk: failed,
        memory: { status: 'ok' },
      },
    });
    expect(healthStatus(report)).toBe(503);
  });

  it('checks at most once a second, however often it is asked', async () => {
    let checks = 0;
    let now = 0;
    const check = () => {
      checks += 1;
      return undefined;
    };
    const health = new Health({ check }, () => now);
    await Promise.all([health.report(), health.report()]);
    now = 999;
    await health.report();
    expect(checks).toBe(1);
    now = 1_000;
    await health.report();
    expect(checks).toBe(2);
  });
});
