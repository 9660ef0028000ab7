import { describe, expect, it } from '@jest/globals';
import { readingOf } from './counters.js';

describe('readingOf', () => {
  it('sorts counters and leaves out zeros, the node itself and what it does not know', () => {
    const reading = readingOf([
      { name: 'user>>>1.ann>>>traffic>>>uplink', value: 1n },
      { name: 'user>>>1.ann>>>traffic>>>downlink', value: 2n },
      { name: 'user>>>a>>>b\n>>>traffic>>>downlink', value: 3n },
      { name: 'user>>>2.idle>>>traffic>>>uplink', value: 0n },
      { name: 'user>>>~rampart-guard-1>>>traffic>>>uplink', value: 4n },
      { name: 'inbound>>>in>>>traffic>>>uplink', value: 5n },
      { name: 'inbound>>>~rampart-in-1>>>traffic>>>uplink', value: 6n },
      { name: 'outbound>>>out>>>traffic>>>downlink', value: 7n },
      { name: 'outbound>>>~rampart-api-1>>>traffic>>>downlink', value: 8n },
      { name: 'user>>>1.ann>>>online', value: 9n },
      { name: 'constructor>>>x>>>traffic>>>uplink', value: 10n },
    ]);
    expect([...reading.users]).toEqual([
      ['1.ann', { uplink: 1n, downlink: 2n }],
      ['a>>>b\n', { uplink: 0n, downlink: 3n }],
    ]);
    expect([...reading.inbounds]).toEqual([['in', { uplink: 5n, downlink: 0n }]]);
    expect([...reading.outbounds]).toEqual([['out', { uplink: 0n, downlink: 7n }]]);
  });
});
