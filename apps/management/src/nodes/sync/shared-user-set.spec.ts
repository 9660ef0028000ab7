import { describe, expect, it } from '@jest/globals';
import { User } from '@rampart/node-client';
import { SharedUserSet } from './shared-user-set.js';

describe(SharedUserSet.name, () => {
  const reader = () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      return [User.fromPartial({ email: `${reads}.read` })];
    };
    return { read, count: () => reads };
  };

  it('reads the users of a revision once for all of a kind that hold it at the same time', async () => {
    const set = new SharedUserSet();
    const { read, count } = reader();
    const [first, second] = await set.hold(async () => [
      await set.read('vless', 7n, read),
      await set.hold(() => set.read('vless', 7n, read)),
    ]);
    expect(second).toBe(first);
    expect(count()).toBe(1);
    await set.hold(async () => {
      expect(await set.read('vless', 7n, read)).toEqual([User.fromPartial({ email: '2.read' })]);
      expect(await set.read('vless', 8n, read)).toEqual([User.fromPartial({ email: '3.read' })]);
    });
  });

  it('keeps the sets of four kinds, and forgets the one that was not used for the longest', async () => {
    const set = new SharedUserSet();
    const { read, count } = reader();
    await set.hold(async () => {
      for (const kind of ['a', 'b', 'c', 'd']) await set.read(kind, 7n, read);
      expect(await set.read('a', 7n, read)).toEqual([User.fromPartial({ email: '1.read' })]);
      await set.read('e', 7n, read);
      expect(count()).toBe(5);
      for (const kind of ['a', 'c', 'd', 'e']) await set.read(kind, 7n, read);
      expect(count()).toBe(5);
      expect(await set.read('b', 7n, read)).toEqual([User.fromPartial({ email: '6.read' })]);
    });
  });

  it('keeps neither users that nobody holds nor a read that has failed', async () => {
    const set = new SharedUserSet();
    const { read, count } = reader();
    await set.read('vless', 7n, read);
    await set.read('vless', 7n, read);
    expect(count()).toBe(2);
    await set.hold(async () => {
      const failing = () => Promise.reject(new Error('the database is gone'));
      await expect(set.read('vless', 7n, failing)).rejects.toThrow('is gone');
      expect(await set.read('vless', 7n, read)).toEqual([User.fromPartial({ email: '3.read' })]);
    });
  });
});
