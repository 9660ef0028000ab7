import { describe, expect, it } from '@jest/globals';
import { Gate } from './gate.js';

describe('Gate', () => {
  it('runs as many tasks as it may, then the others in their order', async () => {
    const gate = new Gate(2);
    const begun: number[] = [];
    const finish: (() => void)[] = [];
    const tasks = [0, 1, 2, 3].map((n) =>
      gate.run(() => {
        begun.push(n);
        return new Promise<number>((resolve) => {
          finish[n] = () => resolve(n);
        });
      }),
    );
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    finish[1]?.();
    expect(await tasks[1]).toBe(1);
    expect(begun).toEqual([0, 1, 2]);
    finish[0]?.();
    await tasks[0];
    finish[2]?.();
    finish[3]?.();
    expect(await Promise.all(tasks)).toEqual([0, 1, 2, 3]);
  });

  it('is free again after a task that failed', async () => {
    const gate = new Gate(1);
    await expect(gate.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await gate.run(() => Promise.resolve('next'))).toBe('next');
  });
});
