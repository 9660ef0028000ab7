import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** lean-qr by David Evans, under the MIT licence, as an expression that evaluates to its exports. */
const LEAN_QR = `((exports) => {
${readFileSync(createRequire(import.meta.url).resolve('lean-qr'), 'utf8')}
return exports;
})({})`;

/**
 * The script of the page: it copies links, and draws QR codes when they are opened. A page that contains all codes
 * would be eight times as long. It is inline, and the policy names its hash.
 */
export const PAGE_SCRIPT = `
const { generate } = ${LEAN_QR};

document.addEventListener('toggle', ({ target }) => {
  const canvas = target.querySelector('canvas');
  if (!target.open || !canvas) return;
  try {
    generate(document.getElementById(canvas.dataset.code).textContent).toCanvas(canvas);
  } catch {
    // The text is too long for a QR code.
    canvas.remove();
  }
}, true);

document.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-copy]');
  if (!button) return;
  const text = document.getElementById(button.dataset.copy).textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  button.textContent = button.dataset.done;
  setTimeout(() => { button.textContent = button.dataset.label; }, 1500);
});
`;
