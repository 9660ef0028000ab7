import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { backoffMs } from '../engine/supervisor.js';
import { engineErrorText } from './engine-error-text.js';
import { LineSplitter } from './line-splitter.js';

describe(backoffMs.name, () => {
  it('the backoff starts at 0, doubles up to 30 s, and has jitter in its upper half', () => {
    expect([0, 1, 2, 3, 8, 9, 50].map((failures) => backoffMs(failures, 1))).toEqual([
      0, 200, 400, 800, 25_600, 30_000, 30_000,
    ]);
    expect(backoffMs(9, 0)).toBe(15_000);
  });
});

describe(engineErrorText.name, () => {
  it("an engine's error text has the reason without secrets", () => {
    const output = ['Xray 26.3.27', 'Failed to start: main: invalid "privateKey": sEcReT-1 > id sEcReT-2 tag visible'];
    const tree = { a: [{ privateKey: 'sEcReT-1', tag: 'visible' }], clients: [{ id: 'sEcReT-2' }] };
    expect(engineErrorText(output, tree)).toBe('main: invalid "privateKey": *** > id *** tag visible');
  });

  it("an engine's error text has no part of a secret that begins like another", () => {
    const tree = { key: 'sEcReT', keys: ['sEcReT-and-more'] };
    expect(engineErrorText(['Failed to start: sEcReT-and-more, sEcReT'], tree)).toBe('***, ***');
  });

  it("an engine's error text is its last lines when it gives no reason", () => {
    expect(engineErrorText(['1', '2', '3', '4', '5', '6'], {})).toBe('2 | 3 | 4 | 5 | 6');
  });
});

describe(LineSplitter.name, () => {
  const cut = (chunks: Buffer[], maxLength?: number): string[] => {
    const lines: string[] = [];
    const cutter = new LineSplitter((line) => lines.push(line), maxLength);
    for (const chunk of chunks) cutter.pushBytes(chunk);
    cutter.flush();
    return lines;
  };

  it('finds the same lines however the bytes are split', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-zü€😀 ]*[a-zü€😀]$/u)), fc.array(fc.nat(50)), (lines, cuts) => {
        const bytes = Buffer.from(lines.join('\n'));
        const chunks: Buffer[] = [];
        let from = 0;
        for (const length of cuts) {
          chunks.push(bytes.subarray(from, from + length));
          from += length;
        }
        expect(cut([...chunks, bytes.subarray(from)])).toEqual(lines);
      }),
    );
  });

  it('a very long line is cut, and empty lines are left out', () => {
    expect(cut([Buffer.from('abc'), Buffer.from('defg\r\n\n'), Buffer.from('h\n')], 5)).toEqual(['abcdefg', 'h']);
    expect(cut([Buffer.from('abcdef'), Buffer.from('gh')], 5)).toEqual(['abcdef', 'gh']);
  });
});
