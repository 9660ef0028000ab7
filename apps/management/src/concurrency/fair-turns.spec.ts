import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { FairTurns } from './fair-turns.js';

const LIMITS = {
  atOnce: { all: 4, network: 4, address: 3, credential: 2 },
  waiting: { all: 20, network: 16, address: 10 },
};

describe(FairTurns.name, () => {
  let turns: FairTurns;
  let begun: string[];
  let refused: string[];
  let leaves: Map<string, () => void>;
  beforeEach(() => {
    turns = new FairTurns(LIMITS);
    begun = [];
    refused = [];
    leaves = new Map();
  });

  afterEach(() => settle());

  const take = (name: string, address: string, credential = address, network = address): void =>
    turns.take({
      owner: { network, address, credential },
      begin: (leave) => {
        begun.push(name);
        leaves.set(name, leave);
      },
      refuse: () => refused.push(name),
    });
  /** Lets everything begin that may begin. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  };
  const leave = async (name: string): Promise<void> => {
    leaves.get(name)?.();
    await settle();
  };

  it('begins at once where nobody has begun in this turn of the event loop', () => {
    take('a', '1');
    expect(begun).toEqual(['a']);
  });

  it('security row 119: keeps turns for networks that have none', async () => {
    turns = new FairTurns({ ...LIMITS, atOnce: { all: 4, network: 4, address: 4, credential: 4 }, kept: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) take(name, 'a');
    await settle();
    expect(begun).toEqual(['a1', 'a2']);
    for (const name of ['b1', 'b2', 'c1', 'd1']) take(name, name.slice(0, 1));
    await settle();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
    await leave('a1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'd1']);
    for (const name of ['b1', 'c1', 'd1']) await leave(name);
    expect(begun.slice(5)).toEqual(['b2']);
    await leave('b2');
    expect(begun.slice(5)).toEqual(['b2', 'a3']);
  });

  it('begins one in each turn of the event loop, and those of another address before the rest of the first', async () => {
    for (const name of ['a1', 'a2', 'a3']) take(name, 'a');
    take('b', 'b');
    const after: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      await nextTurn();
      after.push(begun.length);
    }
    expect(after).toEqual([1, 2, 3]);
    expect(begun).toEqual(['a1', 'a2', 'b']);
  });

  it('gives way to callers that arrive in one turn of the event loop after another, for 5 ms', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    try {
      for (let count = 0; count < 4; count += 1) {
        take(`a${count}`, 'a');
        await nextTurn();
      }
      expect(begun).toEqual(['a0']);
      clock.mockReturnValue(1_005);
      take('b', 'b');
      await nextTurn();
      expect(begun).toEqual(['a0', 'a1']);
      await nextTurn();
      expect(begun).toEqual(['a0', 'a1', 'b']);
    } finally {
      clock.mockRestore();
    }
  });

  it('lets a caller begin before all that were there when short turns end at once', async () => {
    const order: string[] = [];
    const ask = (name: string): void =>
      turns.take({
        owner: { network: name, address: name, credential: name },
        begin: (end) => {
          order.push(name);
          end();
        },
        refuse: () => order.push(`${name} refused`),
      });
    for (let count = 0; count < 10; count += 1) ask('many');
    await nextTurn();
    ask('late');
    await settle();
    expect(order.indexOf('late')).toBeLessThan(4);
    expect(order).toHaveLength(11);
  });

  it('lets the credentials of an address take turns', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4']) take(name, 'x', 'a');
    for (const name of ['b1', 'b2']) take(name, 'x', 'b');
    await settle();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await leave('a1');
    expect(begun.at(-1)).toBe('a3');
    await leave('b1');
    expect(begun.at(-1)).toBe('b2');
  });

  it('counts a credential as one wherever it comes from', async () => {
    for (const address of ['1', '2', '3']) take(`a of ${address}`, address, 'a');
    take('b', '4', 'b');
    await settle();
    expect(begun).toEqual(['a of 1', 'a of 2', 'b']);
    await leave('a of 1');
    expect(begun.at(-1)).toBe('a of 3');
  });

  it('begins for a newcomer while those who came before have all turns of their own', async () => {
    for (const name of ['a1', 'a2', 'a3']) take(name, 'a');
    await settle();
    expect(begun).toEqual(['a1', 'a2']);
    take('b', 'b');
    expect(begun).toEqual(['a1', 'a2', 'b']);
  });

  it('refuses a newcomer beyond the queue of its address, where its own credential has the most', async () => {
    for (let count = 0; count < 13; count += 1) take(`${count}`, 'a');
    await settle();
    expect([begun, refused]).toEqual([
      ['0', '1'],
      ['11', '12'],
    ]);
    take('other', 'b');
    expect(begun.at(-1)).toBe('other');
  });

  it('refuses the newest of the credential with the most for another one of the same address', async () => {
    for (let count = 0; count < 11; count += 1) take(`${count}`, 'x', 'a');
    take('b', 'x', 'b');
    expect(refused).toEqual(['10']);
    await settle();
    expect(begun).toEqual(['0', '1', 'b']);
  });

  it('refuses the newest of the address with the most where too many wait in all', async () => {
    for (let count = 0; count < 11; count += 1) take(`a${count}`, 'a', `${count}`);
    for (let count = 0; count < 10; count += 1) take(`b${count}`, 'b', `b${count}`);
    expect(turns.figures).toEqual({ running: 1, waiting: 20 });
    take('c', 'c');
    expect(refused).toEqual(['b9']);
    take('c again', 'c');
    expect(refused).toEqual(['b9', 'a10']);
    expect(turns.figures).toEqual({ running: 1, waiting: 20 });
  });

  it('lets networks take turns, however many addresses each of them has', async () => {
    for (const number of [1, 2, 3, 4, 5, 6]) take(`x${number}`, `x${number}`, `x${number}`, 'x');
    take('y', 'y');
    await settle();
    expect(begun).toEqual(['x1', 'x2', 'y', 'x3']);
  });

  it('refuses the newest of a network with very many addresses, each of which waits once, for a newcomer of another', () => {
    for (let count = 0; count < 17; count += 1) take(`x${count}`, `x${count}`, `x${count}`, 'x');
    take('x17', 'x17', 'x17', 'x');
    expect(refused).toEqual(['x17']);
    for (let count = 0; count < 4; count += 1) take(`y${count}`, `y${count}`);
    take('z', 'z');
    expect(refused).toEqual(['x17', 'x16']);
    expect(turns.figures).toEqual({ running: 1, waiting: 20 });
  });

  it('ends a turn once, whoever ends it again', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4']) take(name, 'a');
    await settle();
    await leave('a1');
    await leave('a1');
    expect(begun).toEqual(['a1', 'a2', 'a3']);
  });

  it('keeps the async context of whoever waited', async () => {
    const { AsyncLocalStorage } = await import('node:async_hooks');
    const storage = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    for (const name of ['first', 'second'])
      storage.run(name, () =>
        turns.take({
          owner: { network: 'a', address: 'a', credential: 'a' },
          begin: () => seen.push(storage.getStore()),
          refuse: () => undefined,
        }),
      );
    await settle();
    expect(seen).toEqual(['first', 'second']);
  });

  it('gives everybody a turn or a refusal, and never more at once than allowed', async () => {
    const owner = fc.record({
      network: fc.constantFrom('n', 'm'),
      address: fc.constantFrom('1', '2', '3'),
      credential: fc.constantFrom('a', 'b', 'c'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(owner, fc.nat(3)), { maxLength: 60 }), async (callers) => {
        const fair = new FairTurns(LIMITS);
        const running: (typeof callers)[number][0][] = [];
        const most = { all: 0, address: 0, credential: 0 };
        let [ended, gone] = [0, 0];
        for (const [one, turnsOfLoop] of callers) {
          const begin = async (end: () => void): Promise<void> => {
            running.push(one);
            most.all = Math.max(most.all, running.length);
            most.address = Math.max(most.address, running.filter(({ address }) => address === one.address).length);
            most.credential = Math.max(
              most.credential,
              running.filter(({ credential }) => credential === one.credential).length,
            );
            for (let turn = 0; turn < turnsOfLoop; turn += 1) await nextTurn();
            running.splice(running.indexOf(one), 1);
            ended += 1;
            end();
          };
          fair.take({ owner: one, begin, refuse: () => (gone += 1) });
        }
        for (let turn = 0; turn < 300 && ended + gone < callers.length; turn += 1) await nextTurn();
        expect(ended + gone).toBe(callers.length);
        expect([most.all <= 4, most.address <= 3, most.credential <= 2]).toEqual([true, true, true]);
        expect(fair.figures).toEqual({ running: 0, waiting: 0 });
      }),
    );
  });
});
