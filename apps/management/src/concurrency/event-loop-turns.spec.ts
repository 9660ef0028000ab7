import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { EventLoopTurns } from './event-loop-turns.js';

describe(EventLoopTurns.name, () => {
  it('lets callers continue in their order, and other work of the event loop between them', async () => {
    const turns = new EventLoopTurns();
    const seen: string[] = [];
    const callers = ['first', 'second', 'third'].map(async (name) => {
      await turns.next();
      seen.push(name);
    });
    let over = false;
    const others = (async () => {
      while (!over) {
        await nextTurn();
        seen.push('-');
      }
    })();
    await Promise.all(callers);
    over = true;
    await others;
    expect(seen.filter((name) => name !== '-')).toEqual(['first', 'second', 'third']);
    const between = (one: string, other: string) => seen.slice(seen.indexOf(one) + 1, seen.indexOf(other));
    expect([between('first', 'second'), between('second', 'third')]).toEqual([['-'], ['-']]);
  });

  it('security row 117: lets owners take turns, whatever number of callers one of them has', async () => {
    const turns = new EventLoopTurns();
    const seen: string[] = [];
    const callers = ['greedy 1', 'greedy 2', 'greedy 3', 'greedy 4', 'modest 1', 'modest 2', 'last 1'];
    await Promise.all(
      callers.map(async (caller) => {
        await turns.next(caller.split(' ')[0]);
        seen.push(caller);
      }),
    );
    expect(seen).toEqual(['greedy 1', 'modest 1', 'last 1', 'greedy 2', 'modest 2', 'greedy 3', 'greedy 4']);
  });
});
