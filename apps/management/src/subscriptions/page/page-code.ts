import { generate } from 'lean-qr';
import { type Html, html } from './html.js';

/** Longer texts make pictures of many kB; browsers draw these themselves. */
const MAX_LENGTH = 300;
/** The quiet zone around the code, in modules. */
const MARGIN = 4;

/** The QR code of the text of an element, as a picture that needs no JavaScript, or a place in which the script draws it. */
export function qrCode(id: string, text: string, label: string): Html {
  if (text.length > MAX_LENGTH) return html`<canvas data-code="${id}"></canvas>`;
  const code = generate(text);
  const size = code.size + 2 * MARGIN;
  // Rows are lines of width 1, whose middle is half a module below their upper edge.
  const box = `-${MARGIN} -${MARGIN + 0.5} ${size} ${size}`;
  let path = '';
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) {
      if (!code.get(x, y)) continue;
      const start = x;
      while (code.get(x + 1, y)) x++;
      path += `M${start} ${y}h${x + 1 - start}`;
    }
  }
  return html`<svg class="code" viewBox="${box}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path d="${path}"/></svg>`;
}
