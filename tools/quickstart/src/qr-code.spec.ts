import { describe, expect, it } from '@jest/globals';
import QRCode from 'qrcode';
import { qrCode } from './qr-code.js';

const URL = 'http://192.0.2.2:8000/sub/djEuMS4w.HkWDSuXu_Lf5n3TcSDfX-HgONuylpgti3LB4d57SHq0';
const MARGIN = 4;

/** Decodes half blocks into modules, dark = true. Each character holds two modules, one above the other. */
function modules(lines: string[]): boolean[][] {
  return lines.flatMap((line) => [
    [...line].map((block) => '▀█'.includes(block)),
    [...line].map((block) => '▄█'.includes(block)),
  ]);
}

describe(qrCode.name, () => {
  it('shows every module of the code, with a margin of four light ones', async () => {
    const { size, data } = QRCode.create(URL).modules;
    const shown = modules((await qrCode(URL, false)).split('\n'));
    const across = size + 2 * MARGIN;
    expect(shown.every((row) => row.length === across)).toBe(true);
    expect(shown.length).toBeGreaterThanOrEqual(across);
    const wanted = shown.map((_, y) =>
      Array.from({ length: across }, (_, x) => {
        const [column, row] = [x - MARGIN, y - MARGIN];
        return column >= 0 && column < size && row >= 0 && row < size && data[row * size + column] === 1;
      }),
    );
    expect(shown).toEqual(wanted);
  });

  it('sets black on white on every line, so that it is readable in a dark terminal', async () => {
    const plain = (await qrCode(URL, false)).split('\n');
    expect((await qrCode(URL, true)).split('\n')).toEqual(plain.map((line) => `\x1b[30;107m${line}\x1b[0m`));
  });
});
