import type { UserStatus } from '@rampart/domain';
import { type Html, html, NOTHING } from './html.js';
import { filled, filledPlain, formatOf } from './page-format.js';
import { PAGE_TEXTS, type PageLanguage } from './page-language.js';

/** What the page says about the traffic and the time of a user. */
export interface PageUsage {
  readonly status: UserStatus;
  /** Used traffic in bytes. */
  readonly usedTraffic: number;
  /** Traffic limit in bytes; 0: unlimited. */
  readonly dataLimit: number;
  /** The end of the user's time; null: never. */
  readonly expire: Date | null;
  readonly now: Date;
}

/** From this part of the limit on the ring is a warning. */
const NEARLY_FULL = 0.8;

/**
 * The ring of used traffic, and what is left of traffic and time.
 *
 * @param head what stands above: whose traffic it is, and why it may be refused
 */
export function usageSection(usage: PageUsage, head: Html, language: PageLanguage): Html {
  const text = PAGE_TEXTS[language];
  const { usedTraffic, dataLimit } = usage;
  const { bytes } = formatOf(language);
  const used = bytes(usedTraffic);
  const amount =
    dataLimit > 0
      ? filled(text.usedOf, { used, limit: bytes(dataLimit) })
      : html`<bdi>${used}</bdi> <small>${text.unlimited}</small>`;
  const left =
    dataLimit > 0
      ? html`<div><dt>${text.left}</dt><dd><bdi>${bytes(Math.max(0, dataLimit - usedTraffic))}</bdi></dd></div>`
      : NOTHING;
  return html`<section class="usage"><h2 class="hidden">${text.usage}</h2>${head}
<div class="figures">${ring(usage, language)}
<dl><div><dt>${text.used}</dt><dd>${amount}</dd></div>${left}<div><dt>${text.timeLeft}</dt><dd>${timeLeft(usage, language)}</dd></div></dl></div></section>`;
}

function ring({ usedTraffic, dataLimit }: PageUsage, language: PageLanguage): Html {
  const part = dataLimit > 0 ? Math.min(1, usedTraffic / dataLimit) : 0;
  const { percent } = formatOf(language);
  const { usedShare, unlimited } = PAGE_TEXTS[language];
  // The circumference is 100, so that lengths are percents. A length of 0 would draw the round end of the line.
  const length = Math.round(part * 1000) / 10;
  const tone = part >= 1 ? 'bad' : part >= NEARLY_FULL ? 'warn' : 'good';
  const arc =
    length > 0 ? html`<circle class="${tone}" r="15.915" cx="18" cy="18" stroke-dasharray="${length} 100"/>` : NOTHING;
  const label = dataLimit > 0 ? filledPlain(usedShare, { percent: percent(part) }) : unlimited;
  const shown = dataLimit > 0 ? percent(part) : '∞';
  return html`<div class="ring" role="img" aria-label="${label}"><svg viewBox="0 0 36 36" aria-hidden="true"><circle r="15.915" cx="18" cy="18"/>${arc}</svg><b aria-hidden="true">${shown}</b></div>`;
}

function timeLeft({ status, expire, now }: PageUsage, language: PageLanguage): Html {
  const text = PAGE_TEXTS[language];
  if (status === 'on_hold') return html`${text.afterFirstUse}`;
  if (expire === null) return html`${text.never}`;
  const format = formatOf(language);
  const ms = expire.getTime() - now.getTime();
  const [value, end] = ms > 0 ? [format.duration(ms), text.until] : [text.noTimeLeft, text.ended];
  return html`<bdi>${value}</bdi> <small>${filled(end, { date: format.date(expire) })}</small>`;
}
