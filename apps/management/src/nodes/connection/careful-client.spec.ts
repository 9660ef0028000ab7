import { describe, expect, it, jest } from '@jest/globals';
import { BaseInfoResponse, type NodeClient, NodeClientError, ProbeResponse } from '@rampart/node-client';
import fc from 'fast-check';
import { linesText, lineText } from './answer-rules.js';
import { carefulClient } from './careful-client.js';

const clientOf = (answers: Partial<NodeClient>): NodeClient => carefulClient(answers as NodeClient);
const UNSEEN = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

describe('texts of nodes', () => {
  it.each([
    ['plain text, می\u200cشود', 'plain text, می\u200cشود'],
    ['\u001b[31mred\u0007', '\\x1b[31mred\\x07'],
    ['a\r\nb\tc', 'a\\x0d\\x0ab\\x09c'],
    ['invoice\u202egpj.exe', 'invoice\\u202egpj.exe'],
    ['half \ud800 character', 'half \\ud800 character'],
    ['x'.repeat(21), `${'x'.repeat(20)}…`],
  ])('security row 41: lineText shows %j as %j', (text, shown) => {
    expect(lineText(text, text.startsWith('xxx') ? 20 : 100)).toBe(shown);
  });

  it('security row 41: linesText keeps line breaks and tabs', () => {
    expect(linesText('a\r\nb\n\tc\rd\u0000', 100)).toBe('a\nb\n\tc\\x0dd\\x00');
  });

  it('security row 41: linesText looks at no more of a long text than it shows', () => {
    const replaceAll = jest.spyOn(String.prototype, 'replaceAll');
    const shown = linesText('\r\n'.repeat(1_000_000), 100);
    const lengths = replaceAll.mock.contexts.map((text) => String(text).length);
    replaceAll.mockRestore();
    expect(shown).toBe(`${'\n'.repeat(100)}…`);
    expect(Math.max(...lengths)).toBe(202);
  });

  it('security row 41: lineText has only characters that one sees, and no more than it may have', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 50 }), (text, maxLength) => {
        const shown = lineText(text, maxLength);
        expect(UNSEEN.test(shown)).toBe(false);
        expect(shown.length).toBeLessThanOrEqual(maxLength + 1);
      }),
    );
  });
});

describe(carefulClient.name, () => {
  it('security row 41: cuts what a node says of itself', async () => {
    const client = clientOf({
      info: () =>
        Promise.resolve(
          BaseInfoResponse.fromPartial({
            coreVersion: `26\u001b${'1'.repeat(200)}`,
            warnings: Array(60).fill(`a\nnode 7: connected${'x'.repeat(600)}`),
            refused: Array(1_100).fill({ email: '5.x', reason: 'a\u0000b' }),
            certificateExpiresAt: 2n ** 64n - 1n,
            restarts: 2n ** 64n - 1n,
            timeMs: 2n ** 64n - 1n,
          }),
        ),
    });
    const info = await client.info();
    expect(info.coreVersion).toBe(`26\\x1b${'1'.repeat(94)}…`);
    expect([info.warnings.length, info.warnings[0]?.slice(0, 20)]).toEqual([50, 'a\\x0anode 7: connect']);
    expect([info.refused.length, info.refused[0], info.refused[1_000]]).toEqual([
      1_100,
      { email: '5.x', reason: 'a\\x00b' },
      { email: '5.x', reason: '' },
    ]);
    expect(new Date(Number(info.certificateExpiresAt) * 1_000).toISOString()).toBe('9999-12-31T23:59:59.000Z');
    expect(Number.isNaN(new Date(Number(info.timeMs)).getTime())).toBe(false);
    expect(info.restarts).toBe(BigInt(Number.MAX_SAFE_INTEGER));
  });

  it('security row 41: shows the text of an error without what hides in it', async () => {
    const refused = [{ email: '5.x', reason: '\u001b[2J' }];
    const error = new NodeClientError('INTERNAL', 'boom\u001b[2J', { httpStatus: 500, refused });
    const failing = clientOf({ stop: () => Promise.reject(error) }).stop();
    await expect(failing).rejects.toMatchObject({
      code: 'INTERNAL',
      message: 'boom\\x1b[2J',
      httpStatus: 500,
      refused: [{ email: '5.x', reason: '\\x1b[2J' }],
    });
  });

  it('security row 41: keeps addresses that are some, and numbers that JSON holds', async () => {
    const client = clientOf({
      userOnline: (name) => Promise.resolve({ name, value: -5n }),
      userOnlineIps: (name) =>
        Promise.resolve({
          name,
          ips: { '192.0.2.1': -1n, '2001:db8::1': 2n ** 62n, '<script>': 1n, ['__proto__']: 1n },
        }),
      systemStats: () =>
        Promise.resolve({
          memTotal: 2n ** 64n - 1n,
          memUsed: 5n,
          cpuCores: 4n,
          cpuUsage: Number.NaN,
          incomingBandwidthSpeed: 0n,
          outgoingBandwidthSpeed: 0n,
          uptime: 0n,
        }),
      probe: () => Promise.resolve(ProbeResponse.fromPartial({ stage: 'owned', error: '\u0007', address: 'nowhere' })),
    });
    expect((await client.userOnline('5.x')).value).toBe(0n);
    expect((await client.userOnlineIps('5.x')).ips).toEqual({ '192.0.2.1': 0n, '2001:db8::1': 253_402_300_799n });
    expect(await client.systemStats()).toMatchObject({ memTotal: BigInt(Number.MAX_SAFE_INTEGER), cpuUsage: 0 });
    expect(await client.probe({})).toMatchObject({ stage: 'settings', error: '\\x07', address: '' });
  });

  it('security row 41: refuses a request for a certificate that is far too long', async () => {
    const client = clientOf({ requestCertificate: () => Promise.resolve({ request: Buffer.alloc(16_385) }) });
    await expect(client.requestCertificate()).rejects.toMatchObject({
      code: 'PROTOCOL',
      message: 'its request for a certificate has 16385 bytes',
    });
  });

  it('security row 41: reads a log no faster than its lines may come', async () => {
    const leaving = new AbortController();
    let sent = 0;
    const client = clientOf({
      async *logs() {
        for (;;) {
          sent += 1;
          yield { detail: `line ${sent}\u001b\r`, sequence: BigInt(sent) };
        }
      },
    });
    const begin = performance.now();
    let last = '';
    for await (const { detail } of client.logs({ signal: leaving.signal })) {
      last = detail;
      if (sent === 10_100) leaving.abort();
    }
    expect(last).toBe('line 10100\\x1b\\x0d');
    // A hundred lines beyond the first ten thousand take a tenth of a second at least.
    expect(performance.now() - begin).toBeGreaterThanOrEqual(50);
  });

  it('security row 39: reads no more of a log than its lines may have, however long they are', async () => {
    const leaving = new AbortController();
    let sent = 0;
    const client = clientOf({
      async *logs() {
        for (;;) {
          sent += 1;
          yield { detail: 'x'.repeat(512 * 1_024), sequence: 0n };
        }
      },
    });
    const begin = performance.now();
    for await (const _line of client.logs({ signal: leaving.signal })) if (sent === 10) leaving.abort();
    // Each counts as 1,024 lines, so the tenth takes two tenths of a second at least.
    expect(performance.now() - begin).toBeGreaterThanOrEqual(150);
  });
});
