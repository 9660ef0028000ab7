import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManagementError } from '../errors/management-error.js';
import { KeyedMutex } from './keyed-mutex.js';

/** Tasks that run until the test calls `end`. */
class Tasks {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, (error?: Error) => void>();

  readonly task = (name: string) => () => {
    this.begun.push(name);
    return new Promise<string>((resolve, reject) => {
      this.ends.set(name, (error) => (error ? reject(error) : resolve(`end of ${name}`)));
    });
  };

  end(name: string, error?: Error): void {
    this.ends.get(name)?.(error);
  }
}

let mutex: KeyedMutex<number>;
let tasks: Tasks;
beforeEach(() => {
  mutex = new KeyedMutex({ waiting: 16, refusal: () => new ManagementError('TOO_MANY_CHANGES') });
  tasks = new Tasks();
});

describe(KeyedMutex, () => {
  it('KeyedMutex runs the tasks of one key one at a time, in order', async () => {
    const [first, second, third] = ['first', 'second', 'third'].map((name) => mutex.run(1, tasks.task(name)));
    await Promise.resolve();
    expect(tasks.begun).toEqual(['first']);
    tasks.end('first');
    expect(await first).toBe('end of first');
    expect(tasks.begun).toEqual(['first', 'second']);
    tasks.end('second', new Error('broken'));
    await expect(second).rejects.toThrow('broken');
    expect(tasks.begun).toEqual(['first', 'second', 'third']);
    tasks.end('third');
    expect(await third).toBe('end of third');
  });

  it('KeyedMutex runs the tasks of different keys concurrently', async () => {
    const other = mutex.run(2, tasks.task('of another'));
    void mutex.run(1, tasks.task('mine'));
    await Promise.resolve();
    expect(tasks.begun).toEqual(['of another', 'mine']);
    tasks.end('of another');
    expect(await other).toBe('end of of another');
  });

  it('KeyedMutex refuses a task of a key with 16 waiting tasks, until one ends', async () => {
    const taken = Array.from({ length: 17 }, (_, index) => mutex.run(1, tasks.task(`${index}`)));
    await expect(mutex.run(1, tasks.task('too many'))).rejects.toMatchObject({ code: 'TOO_MANY_CHANGES' });
    tasks.end('0');
    await taken[0];
    void mutex.run(1, tasks.task('last'));
    for (let index = 1; index < 17; index += 1) {
      tasks.end(`${index}`);
      await taken[index];
    }
    expect(tasks.begun.slice(15)).toEqual(['15', '16', 'last']);
  });
});
