import QRCode from 'qrcode';
import { Html, NOTHING } from './html.js';

/** Modules of white around the code, which scanners expect. */
const MARGIN = 4;

/** A QR code as one path; nothing for a text that is longer than a code can be. */
export function qrSvg(text: string): Html {
  const code = encoded(text);
  if (code === undefined) return NOTHING;
  const { size, data } = code.modules;
  const rows = Array.from({ length: size }, (_, row) => line(data.subarray(row * size, (row + 1) * size), row));
  const side = size + 2 * MARGIN;
  return new Html(
    `<svg viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges" role="img"><path d="${rows.join('')}" stroke="#000"/></svg>`,
  );
}

/** A row as a line through its middle, with gaps where it is light. */
function line(modules: ArrayLike<number>, row: number): string {
  let path = `M${MARGIN} ${row + MARGIN}.5`;
  for (let start = 0; start < modules.length; ) {
    let end = start;
    while (end < modules.length && modules[end] === modules[start]) end += 1;
    path += modules[start] ? `h${end - start}` : `m${end - start} 0`;
    start = end;
  }
  return path;
}

/** As bytes under one mask: to look for what would be smallest and best takes twenty times as long. */
function encoded(text: string): QRCode.QRCode | undefined {
  try {
    return QRCode.create([{ data: Buffer.from(text), mode: 'byte' }], { errorCorrectionLevel: 'L', maskPattern: 0 });
  } catch {
    return undefined;
  }
}
