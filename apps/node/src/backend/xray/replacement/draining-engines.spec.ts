import { describe, expect, it } from '@jest/globals';
import type { Endpoint } from '../config/endpoints.js';
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

  it('security row 83: tells when another engine would end one that drains', async () => {
    const draining = new DrainingEngines({
      drainMs: 60_000,
      note: () => undefined,
      hasConnections: async () => true,
      resetConnections: async () => undefined,
      end: async () => undefined,
    });
    const port = (number: number): Endpoint => ({
      kind: 'port',
      tag: 'h3',
      host: '0.0.0.0',
      transport: 'udp',
      first: number,
      last: number,
    });
    expect(draining.obstacleFor([port(443)])).toBeUndefined();
    draining.add({ ...drainOf('busy'), keptEndpoints: [port(443)] });
    expect(draining.obstacleFor([port(444)])).toBeUndefined();
    expect(draining.obstacleFor([port(443)])).toBe(
      'a previous engine, which still has connections, keeps a port that is needed',
    );
    draining.add(drainOf('busy'));
    expect(draining.obstacleFor([port(444)])).toBe('2 previous engines still have connections');
    await draining.endAll();
  });
});
