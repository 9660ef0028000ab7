import { describe, expect, it } from '@jest/globals';
import { Semaphore } from './semaphore.js';

describe(Semaphore.name, () => {
  it('runs as many tasks as its limit allows, then the others in order', async () => {
    const semaphore = new Semaphore(2);
    const begun: number[] = [];
    const finish: (() => void)[] = [];
    const tasks = [0, 1, 2, 3].map((n) =>
      semaphore.run(() => {
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

  it('releases its permit after a failed task', async () => {
    const semaphore = new Semaphore(1);
    await expect(semaphore.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await semaphore.run(() => Promise.resolve('next'))).toBe('next');
  });

  it('removes a waiting task whose signal aborts', async () => {
    const semaphore = new Semaphore(1);
    let end: () => void = () => undefined;
    const first = semaphore.run(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    const impatient = new AbortController();
    const ran: string[] = [];
    const second = semaphore.run(async () => void ran.push('second'), impatient.signal);
    const third = semaphore.run(async () => void ran.push('third'), new AbortController().signal);
    impatient.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await expect(semaphore.run(async () => void ran.push('fourth'), impatient.signal)).rejects.toThrow('enough');
    end();
    await Promise.all([first, third]);
    await semaphore.run(async () => void ran.push('last'));
    expect(ran).toEqual(['third', 'last']);
  });
});
