import { describe, expect, it } from '@jest/globals';
import { User } from '@rampart/node-client';
import { SharedUserSet } from './shared-user-set.js';

describe('SharedUserSet', () => {
  const reader = () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      return [User.fromPartial({ email: `${reads}.read` })];
    };
    return { read, count: () => reads };
  };

  it('SharedUserSet reads the users of a revision once for all that hold it at the same time', async () => {
    const set = new SharedUserSet();
    const { read, count } = reader();
    const [first, second] = await set.hold(async () => [
      await set.read(7n, read),
      await set.hold(() => set.read(7n, read)),
    ]);
    expect(second).toBe(first);
    expect(count()).toBe(1);
    await set.hold(async () => {
      expect(await set.read(7n, read)).toEqual([User.fromPartial({ email: '2.read' })]);
      expect(await set.read(8n, read)).toEqual([User.fromPartial({ email: '3.read' })]);
    });
  });

  it('SharedUserSet keeps neither users that nobody holds nor a read that has failed', async () => {
    const set = new SharedUserSet();
    const { read, count } = reader();
    await set.read(7n, read);
    await set.read(7n, read);
    expect(count()).toBe(2);
    await set.hold(async () => {
      await expect(set.read(7n, () => Promise.reject(new Error('the database is gone')))).rejects.toThrow('is gone');
      expect(await set.read(7n, read)).toEqual([User.fromPartial({ email: '3.read' })]);
    });
  });
});
