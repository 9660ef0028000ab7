import { describe, expect, it } from '@jest/globals';
import { ChangeQueue, type ChangeStep } from './change-queue.js';

const step = (...emails: string[]): ChangeStep => ({ users: emails.map((email) => ({ email })) });
const namesOf = (steps: readonly ChangeStep[]) => steps.map(({ users }) => users.map(({ email }) => email).join());

describe(ChangeQueue.name, () => {
  const opened = () => {
    const done: string[] = [];
    let release = () => {};
    const queue = new ChangeQueue<ChangeStep>(async (steps) => void done.push(namesOf(steps).join(' + ')), 4);
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const busy = queue.run(() => released);
    return { queue, done, busy, release };
  };

  it('adjacent waiting changes are carried out together, and each resolves when all are done', async () => {
    const { queue, done, busy, release } = opened();
    const changes = [step('a'), step('b', 'c'), step('d')].map((one) =>
      queue.enqueueChange(one).then(() => done.length),
    );
    release();
    await busy;
    expect(await Promise.all(changes)).toEqual([1, 1, 1]);
    expect(done).toEqual(['a + b,c + d']);
  });

  it('merging changes keeps the order for each user and of other tasks, and respects the limit', async () => {
    const { queue, done, busy, release } = opened();
    const all = [
      queue.enqueueChange(step('a')),
      queue.enqueueChange(step('b', 'a')),
      queue.enqueueChange(step('c', 'd', 'e')),
      queue.run(async () => void done.push('task')),
      queue.enqueueChange(step('f')),
      queue.enqueueChange(step('1', '2', '3', '4', '5')),
      queue.enqueueChange(step('g')),
    ];
    release();
    await busy;
    await Promise.all(all);
    expect(done).toEqual(['a', 'b,a', 'c,d,e', 'task', 'f', '1,2,3,4,5', 'g']);
  });

  it('a change that has begun is not merged with others, and the next one runs after a failure', async () => {
    const done: string[] = [];
    const queue = new ChangeQueue<ChangeStep>(async (steps) => {
      await Promise.resolve();
      done.push(namesOf(steps).join(' + '));
      if (done.length === 1) throw new Error('no');
    }, 10);
    const first = queue.enqueueChange(step('a'));
    await Promise.resolve();
    await Promise.resolve();
    const second = queue.enqueueChange(step('b'));
    await expect(first).rejects.toThrow('no');
    await second;
    expect(done).toEqual(['a', 'b']);
  });
});
