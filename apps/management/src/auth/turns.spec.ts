import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

describe('Turns', () => {
  it('lets each one end before the next begins, also when one fails', async () => {
    const turns = new Turns();
    const events: string[] = [];
    const work =
      (name: string, fails = false) =>
      async () => {
        events.push(`${name} begins`);
        await Promise.resolve();
        events.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };
    const all = [
      turns.take('key', work('one')),
      turns.take('key', work('two', true)),
      turns.take('key', work('three')),
    ];
    expect(await Promise.allSettled(all)).toEqual([
      { status: 'fulfilled', value: 'one' },
      { status: 'rejected', reason: new Error('two') },
      { status: 'fulfilled', value: 'three' },
    ]);
    expect(events).toEqual(['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it('does not let one key wait for another', async () => {
    const turns = new Turns();
    let release = () => {};
    const held = turns.take('one', () => new Promise<void>((resolve) => (release = resolve)));
    expect(await turns.take('other', async () => 'done')).toBe('done');
    release();
    await held;
  });
});
