import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TrafficBytes } from '../backend/backend.js';
import { TrafficCounters } from './traffic-counters.js';
import { TrafficOutbox } from './traffic-outbox.js';

function newLedger(recorder = { appendRecords: async () => true, discardOutdatedFile: async () => undefined }) {
  const book = new TrafficCounters('book');
  const ledger = new TrafficOutbox(book, recorder);
  return {
    add: (given: ReturnType<typeof reading>) => book.addReading(given),
    collect: (...args: Parameters<TrafficOutbox['collectBatch']>) => ledger.collectBatch(...args),
  };
}

const reading = (users: Record<string, [bigint, bigint]> = {}) => ({
  users: new Map(Object.entries(users).map(([email, [uplink, downlink]]) => [email, { uplink, downlink }])),
  inbounds: new Map<string, TrafficBytes>(),
  outbounds: new Map<string, TrafficBytes>(),
});

describe(TrafficOutbox.name, () => {
  it('there is no batch before traffic is counted', async () => {
    const ledger = newLedger();
    ledger.add(reading({ '1.ann': [0n, 0n] }));
    expect(await ledger.collect('', 0n, 5n)).toEqual({
      ...{ ledger: 'book', number: 0n, sealedAt: 5n, users: [], inbounds: [], outbounds: [] },
    });
  });

  it('a batch is the sum of all readings', async () => {
    const ledger = newLedger();
    ledger.add({
      users: new Map([['1.ann', { uplink: 1n, downlink: 2n }]]),
      inbounds: new Map([['in', { uplink: 3n, downlink: 4n }]]),
      outbounds: new Map([['out', { uplink: 5n, downlink: 6n }]]),
    });
    ledger.add(reading({ '1.ann': [10n, 20n], '2.bob': [0n, 7n] }));
    expect(await ledger.collect('', 0n, 5n)).toEqual({
      ledger: 'book',
      number: 1n,
      sealedAt: 5n,
      users: [
        { email: '1.ann', uplink: 11n, downlink: 22n },
        { email: '2.bob', uplink: 0n, downlink: 7n },
      ],
      inbounds: [{ tag: 'in', uplink: 3n, downlink: 4n }],
      outbounds: [{ tag: 'out', uplink: 5n, downlink: 6n }],
    });
  });

  it('a batch is repeated unchanged until exactly that batch is acknowledged', async () => {
    const ledger = newLedger();
    ledger.add(reading({ '1.ann': [1n, 1n] }));
    const batch = await ledger.collect('', 0n, 5n);
    ledger.add(reading({ '1.ann': [2n, 2n] }));
    for (const [book, number] of [
      ['', 0n],
      ['', 1n],
      ['other', 1n],
      ['book', 0n],
      ['book', 2n],
    ] as const) {
      expect(await ledger.collect(book, number, 6n)).toEqual(batch);
    }
    const next = await ledger.collect('book', 1n, 7n);
    expect(next).toMatchObject({ number: 2n, sealedAt: 7n, users: [{ email: '1.ann', uplink: 2n, downlink: 2n }] });
    // A repeated acknowledgement does not acknowledge the next batch.
    expect(await ledger.collect('book', 1n, 8n)).toEqual(next);
    expect(await ledger.collect('book', 2n, 9n)).toMatchObject({ number: 0n, users: [] });
  });

  it('every byte is handed over once, however answers and acknowledgements are lost', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), bytes: fc.bigInt({ min: 0n, max: 1000n }) }),
      fc.record({ kind: fc.constant('collect' as const), arrives: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step), async (steps) => {
        const ledger = newLedger();
        let sent = 0n;
        let stored = 0n;
        let acknowledged = 0n;
        const collect = async (arrives: boolean) => {
          const batch = await ledger.collect('book', acknowledged, 0n);
          if (!arrives || batch.number <= acknowledged) return;
          stored += batch.users[0]?.downlink ?? 0n;
          acknowledged = batch.number;
        };
        for (const step of steps) {
          if (step.kind === 'collect') await collect(step.arrives);
          else {
            ledger.add(reading({ ann: [0n, step.bytes] }));
            sent += step.bytes;
          }
        }
        await collect(true);
        await collect(true);
        expect(stored).toBe(sent);
      }),
    );
  });
});
