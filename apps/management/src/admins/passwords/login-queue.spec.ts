import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LoginQueue } from './login-queue.js';

/** A queue that stands still until `go`; `served` has what was let in, `refused` what was refused. */
function blockedQueue(most: number) {
  const queue = new LoginQueue(most);
  const [served, refused]: [string[], [string, string][]] = [[], []];
  let go: () => void = () => undefined;
  const first = queue.run({ origin: 'first' }, () => new Promise<void>((resolve) => (go = resolve)));
  const all = [first];
  const join = (name: string, origin: string, admin?: string, signal?: AbortSignal) => {
    const login = queue.run({ origin, admin, signal }, async () => void served.push(name));
    all.push(login.catch((error) => void refused.push([name, error.code])));
  };
  const end = async () => {
    // The first one enters in a later turn.
    await new Promise(setImmediate);
    go();
    await Promise.all(all);
    return { served, refused };
  };
  return { queue, join, end };
}

describe('security row 47: LoginQueue', () => {
  it('LoginQueue lets an admin in second, whatever one network sends before, and refuses what is beyond its length', async () => {
    const { queue, join, end } = blockedQueue(32);
    for (let n = 1; n <= 600; n++) join(`stranger ${n}`, '2001:db8::/48');
    expect(queue.length).toBe(32);
    join('admin', '192.0.2.0/24');
    expect(queue.length).toBe(32);
    const { served, refused } = await end();
    expect(served.slice(0, 3)).toEqual(['stranger 1', 'admin', 'stranger 2']);
    expect([served.length, refused.length]).toEqual([32, 569]);
    expect(new Set(refused.map(([, code]) => code))).toEqual(new Set(['LOGIN_QUEUE_FULL']));
  });

  it('LoginQueue takes known origins first, and finds room for them among strangers of any number of networks', async () => {
    const { join, end } = blockedQueue(3);
    for (const n of [1, 2, 3, 4]) join(`stranger ${n}`, `198.51.${n}.0/24`);
    join('admin', '192.0.2.0/24', 'root');
    const { served, refused } = await end();
    expect(served).toEqual(['admin', 'stranger 2', 'stranger 3']);
    expect(refused).toEqual([
      ['stranger 4', 'LOGIN_QUEUE_FULL'],
      ['stranger 1', 'LOGIN_QUEUE_FULL'],
    ]);
  });

  it('security row 98: lets one of another admin and a stranger in among the next four, whatever one admin sends', async () => {
    const { queue, join, end } = blockedQueue(32);
    for (let n = 1; n <= 100; n++) join(`greedy ${n}`, `device ${n % 30}`, 'greedy');
    expect(queue.length).toBe(32);
    join('modest', 'network', 'modest');
    join('stranger', '198.51.100.0/24');
    // What comes later takes nobody's place who has less.
    for (let n = 101; n <= 200; n++) join(`greedy ${n}`, `device ${n}`, 'greedy');
    expect(queue.length).toBe(32);
    const { served, refused } = await end();
    expect(served.slice(0, 4)).toEqual(['greedy 1', 'modest', 'greedy 2', 'stranger']);
    expect([served.length, refused.length]).toEqual([32, 170]);
    expect(new Set(refused.map(([, code]) => code))).toEqual(new Set(['LOGIN_QUEUE_FULL']));
  });

  it('security row 98: serves every origin of an admin, whatever one of them sends', async () => {
    const { join, end } = blockedQueue(32);
    for (let n = 1; n <= 100; n++) join(`thief ${n}`, 'elsewhere', 'root');
    join('at home', 'home', 'root');
    expect((await end()).served.slice(0, 2)).toEqual(['thief 1', 'at home']);
  });

  it('security row 98: keeps a quarter of its places for strangers while one known admin after the other comes', async () => {
    const { join, end } = blockedQueue(8);
    for (let n = 1; n <= 8; n++) join(`stranger ${n}`, `198.51.${n}.0/24`);
    for (let n = 1; n <= 8; n++) join(`known ${n}`, 'office', `admin ${n}`);
    const { served, refused } = await end();
    expect(served).toEqual([
      ...['known 1', 'known 2', 'known 3', 'stranger 7', 'known 4', 'known 5', 'known 6', 'stranger 8'],
    ]);
    expect(refused.map(([name]) => name)).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((n) => `stranger ${n}`),
      'known 7',
      'known 8',
    ]);
  });

  it('LoginQueue forgets who has left', async () => {
    const { queue, join, end } = blockedQueue(2);
    const client = new AbortController();
    join('gone', 'a', undefined, client.signal);
    join('stays', 'a');
    client.abort();
    expect(queue.length).toBe(1);
    join('left before', 'a', undefined, client.signal);
    join('comes', 'b');
    expect((await end()).served).toEqual(['stays', 'comes']);
  });

  it('LoginQueue goes on after a login that fails', async () => {
    const queue = new LoginQueue(2);
    const caller = { origin: 'a' };
    const failed = queue.run(caller, () => Promise.reject(new Error('failed')));
    await expect(failed).rejects.toThrow('failed');
    expect(await queue.run(caller, async () => 'next')).toBe('next');
  });

  it('LoginQueue never holds more than its length, serves the first of each origin before the third of any, and loses nobody', async () => {
    const callers = fc.array(
      fc.record({ origin: fc.constantFrom('a', 'b', 'c', 'd'), admin: fc.constantFrom(undefined, 'x', 'y') }),
      {
        maxLength: 40,
      },
    );
    await fc.assert(
      fc.asyncProperty(callers, fc.integer({ min: 1, max: 10 }), async (list, most) => {
        const { queue, join, end } = blockedQueue(most);
        for (const [n, { origin, admin }] of list.entries()) {
          join(`${n}`, origin, admin);
          expect(queue.length).toBeLessThanOrEqual(most);
        }
        const { served, refused } = await end();
        expect([...served, ...refused.map(([name]) => name)].toSorted()).toEqual(list.map((_, n) => `${n}`).toSorted());
        const strangers = served
          .map((name) => list[Number(name)])
          .filter((caller) => caller && caller.admin === undefined);
        const origins = new Set(strangers.map((caller) => caller?.origin));
        expect(new Set(strangers.slice(0, origins.size).map((caller) => caller?.origin))).toEqual(origins);
      }),
    );
  });
});
