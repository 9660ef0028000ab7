import { describe, expect, it } from '@jest/globals';
import { UpdateQueue } from './update-queue.js';

const update = (userId: number, userAgent: string) => ({ userId, userAgent, at: new Date(0) });

describe(UpdateQueue, () => {
  it('UpdateQueue keeps the latest fetches of each user', () => {
    const queue = new UpdateQueue(2);
    for (let number = 1; number <= 12; number++) queue.addUpdate(update(1, `${number}`));
    queue.addUpdate(update(2, 'only'));
    const { updates, lost } = queue.takeAll();
    expect(updates.map(({ userId, userAgent }) => [userId, userAgent])).toEqual([
      ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((number) => [1, `${number}`]),
      [2, 'only'],
    ]);
    expect(lost).toBe(0);
  });

  it('UpdateQueue holds a maximum number of users, and counts dropped fetches', () => {
    const queue = new UpdateQueue(1);
    for (const userId of [1, 2, 3, 1]) queue.addUpdate(update(userId, 'a'));
    expect(queue.takeAll()).toEqual({ updates: [update(1, 'a'), update(1, 'a')], lost: 2 });
    queue.addUpdate(update(2, 'b'));
    expect(queue.takeAll()).toEqual({ updates: [update(2, 'b')], lost: 0 });
    expect(queue.takeAll()).toEqual({ updates: [], lost: 0 });
  });
});
