import { describe, expect, it } from '@jest/globals';
import { until } from '@rampart/testing';
import type { ServedUser } from '../../user-store/served/served-users.js';
import { Overtaking } from './overtaking.js';

const user = (id: number, revision: bigint): ServedUser => ({
  id,
  email: `${id}.user`,
  proxySettings: null,
  inboundTags: [],
  revision,
});

describe(Overtaking.name, () => {
  it('sends a change that is announced while many users are sent, and never looks at it twice', async () => {
    const reads: bigint[] = [];
    const sent: ServedUser[][] = [];
    let stored: ServedUser[] = [];
    const overtaking = new Overtaking(5n, {
      read: (revision) => {
        reads.push(revision);
        const users = stored.filter((one) => one.revision > revision);
        return Promise.resolve({ users, newest: users.at(-1)?.revision ?? revision, more: false });
      },
      send: async (users) => void sent.push([...users]),
    });
    await overtaking.settle();
    stored = [user(1, 6n)];
    overtaking.announceChange();
    await overtaking.settle();
    overtaking.announceChange();
    await overtaking.settle();
    expect(sent).toEqual([[user(1, 6n)]]);
    expect(reads).toEqual([5n, 5n, 6n]);
  });

  it('sends what is announced during its call with its next call', async () => {
    const answers: (() => void)[] = [];
    const sent: number[][] = [];
    const queue = [[user(1, 6n)], [user(2, 7n), user(3, 8n)]];
    const overtaking = new Overtaking(5n, {
      read: () => Promise.resolve({ users: queue.shift() ?? [], newest: 8n, more: false }),
      send: (users) => {
        sent.push(users.map(({ id }) => id));
        return new Promise((resolve) => answers.push(resolve));
      },
    });
    await until((saw) => saw(sent).length === 1);
    overtaking.announceChange();
    overtaking.announceChange();
    expect(sent).toEqual([[1]]);
    answers[0]!();
    await until((saw) => saw(sent).length === 2);
    answers[1]!();
    await overtaking.settle();
    expect(sent).toEqual([[1], [2, 3]]);
  });

  it('goes on reading where one read has left changes out', async () => {
    const sent: number[][] = [];
    const queue = [[user(1, 6n)], [user(2, 7n)]];
    const overtaking = new Overtaking(5n, {
      read: (revision) =>
        Promise.resolve({ users: queue.shift() ?? [], newest: revision + 1n, more: queue.length > 0 }),
      send: async (users) => void sent.push(users.map(({ id }) => id)),
    });
    await overtaking.settle();
    expect(sent).toEqual([[1], [2]]);
  });

  it('tells the users of later batches of whom the node has heard something newer', async () => {
    const overtaking = new Overtaking(5n, {
      read: () => Promise.resolve({ users: [user(1, 6n)], newest: 6n, more: false }),
      send: () => Promise.resolve(),
    });
    await overtaking.settle();
    const batch = [user(1, 5n), user(2, 5n)];
    expect(overtaking.overtakenOf(batch)).toEqual([user(1, 5n)]);
    expect(overtaking.overtakenOf([user(1, 6n)])).toEqual([]);
  });

  it('reports the failure of a call, and makes no further one', async () => {
    let sends = 0;
    const overtaking = new Overtaking(5n, {
      read: () => Promise.resolve({ users: [user(1, 6n)], newest: 6n, more: false }),
      send: () => {
        sends += 1;
        return Promise.reject(new Error('unreachable'));
      },
    });
    await expect(overtaking.settle()).rejects.toThrow('unreachable');
    overtaking.announceChange();
    await expect(overtaking.settle()).rejects.toThrow('unreachable');
    expect(sends).toBe(1);
  });
});
