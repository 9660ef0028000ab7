import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The small edition of lean-qr by David Evans, under the MIT licence, as an expression that evaluates to `generate`. */
const GENERATE = `(() => { ${readFileSync(createRequire(import.meta.url).resolve('lean-qr/nano'), 'utf8').replace(
  /export\s*\{.*?(\w+) as generate\s*\};?\s*$/,
  'return $1;',
)} })()`;

/**
 * The script of the page: it copies links, draws the QR codes of servers when they are opened, and tells iPads from Macs,
 * as which they present themselves. It is inline, and the policy names its hash. The page works without it.
 */
export const PAGE_SCRIPT = `
const generate = ${GENERATE};
const root = document.documentElement;
root.classList.add('js');
if (root.dataset.guessed === 'macos' && navigator.maxTouchPoints > 0) location.replace(root.dataset.tablet);

function draw(canvas) {
  try {
    generate(document.getElementById(canvas.dataset.code).textContent).toCanvas(canvas);
  } catch {
    // The text is too long for a QR code.
    canvas.remove();
  }
}

document.addEventListener('toggle', ({ target }) => {
  if (target.open) for (const canvas of target.querySelectorAll('canvas')) draw(canvas);
}, true);

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button[data-copy]');
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
  button.dataset.label ??= button.textContent;
  button.textContent = root.dataset.copied;
  setTimeout(() => { button.textContent = button.dataset.label; }, 1500);
});
`;
