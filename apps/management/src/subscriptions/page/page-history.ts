import { type Html, html, NOTHING } from './html.js';
import { filled, formatOf } from './page-format.js';
import { PAGE_TEXTS, type PageLanguage } from './page-language.js';

/** Number of days in the chart, with today. */
export const HISTORY_DAYS = 30;

const DAY_MS = 86_400_000;
/** Sizes of the drawing, in its own units. */
const [STEP, BAR, HEIGHT] = [10, 7, 80];

/** The first moment of the chart: the midnight in UTC with which its first day begins. */
export const historyStart = (now: Date): Date =>
  new Date(Math.floor(now.getTime() / DAY_MS - HISTORY_DAYS + 1) * DAY_MS);

/**
 * The traffic of the last days as bars.
 *
 * @param days bytes of each day, the oldest first and today last
 */
export function historySection(days: readonly number[], now: Date, language: PageLanguage): Html {
  const text = PAGE_TEXTS[language];
  const { bytes, day } = formatOf(language);
  const most = Math.max(...days);
  if (most <= 0) return html`<section><h2>${text.history}</h2><p class="quiet">${text.historyNone}</p></section>`;
  const start = historyStart(now).getTime();
  const dayAt = (index: number) => day(new Date(start + index * DAY_MS));
  const bars = days.map((size, index) => {
    const height = Math.max(size > 0 ? 2 : 1, Math.round((size / most) * HEIGHT));
    const mark = size > 0 ? NOTHING : html` class="none"`;
    return html`<rect x="${index * STEP}" y="${HEIGHT - height}" height="${height}"${mark}><title>${dayAt(index)}: ${bytes(size)}</title></rect>`;
  });
  const total = bytes(days.reduce((sum, size) => sum + size, 0));
  const peak = filled(text.historyMost, { size: bytes(most), date: dayAt(days.indexOf(most)) });
  return html`<section><h2>${text.history}</h2>
<p class="peak"><span>${text.historyTotal}: <bdi>${total}</bdi></span><span>▲ ${peak}</span></p>
<svg class="chart" viewBox="0 0 ${STEP * days.length - STEP + BAR} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${text.history}: ${total}">${bars}</svg>
<p class="axis"><span>${dayAt(0)}</span><span>${text.today}</span></p></section>`;
}
