import { describe, expect, it } from '@jest/globals';
import type { Engine } from '../engine/engine.js';
import { type DrainingEngine, DrainingEngines } from './draining-engines.js';

/** An engine without a connection. */
function drainOf(place: string): DrainingEngine {
  const engine = { place, exited: new Promise(() => undefined), pid: undefined } as Partial<Engine> as Engine;
  const none = { endpoints: [], resetEndpoints: [], keptEndpoints: [], keepsStreamsOf: () => false };
  return { engine, ...none, since: Date.now() };
}

describe(DrainingEngines.name, () => {
  it('leaving all engines takes until the last reading of one that is being ended was reported', async () => {
    const order: string[] = [];
    let endEngine = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      endEngine = resolve;
    });
    const draining = new DrainingEngines({
      drainMs: 60_000,
      note: () => undefined,
      hasConnections: async ({ place }) => place === 'busy',
      resetConnections: async () => undefined,
      end: async () => {
        order.push('ends');
        await ended;
        order.push('has ended');
      },
    });
    draining.add(drainOf('busy'));
    draining.add(drainOf('idle'));
    while (order.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const leaving = draining.leaveAll(async ({ place }) => void order.push(`${place} is left`));
    setImmediate(endEngine);
    await leaving;
    expect(order).toEqual(['ends', 'busy is left', 'has ended']);
  });
});
