import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** lean-qr by David Evans, under the MIT licence: an object of what it exports. */
const LEAN_QR = `((exports) => {
${readFileSync(createRequire(import.meta.url).resolve('lean-qr'), 'utf8')}
return exports;
})({})`;

/**
 * What a page cannot do without: copying, and QR codes, each drawn when it is opened. A page that brings all of them along
 * is eight times as long. Inline, under a hash in the policy.
 */
export const PAGE_SCRIPT = `
const { generate } = ${LEAN_QR};

document.addEventListener('toggle', ({ target }) => {
  const canvas = target.querySelector('canvas');
  if (!target.open || !canvas) return;
  try {
    generate(document.getElementById(canvas.dataset.code).textContent).toCanvas(canvas);
  } catch {
    // Longer than a code can be.
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
