import { createHash } from 'node:crypto';
import { formatByteSize, isoDate, jalaliDate, type UserStatus } from '@rampart/domain';
import { Html, html, NOTHING } from './html.js';
import { applicationList, type PageApplication } from './page-applications.js';
import { PAGE_SCRIPT } from './page-script.js';
import { PAGE_STYLE } from './page-style.js';
import { PAGE_LANGUAGES, PAGE_TEXTS, type PageLanguage } from './page-text.js';

/** The contents of the page. */
export interface SubscriptionPage {
  readonly title: string;
  readonly username: string;
  readonly status: UserStatus;
  /** Used traffic in bytes. */
  readonly usedTraffic: number;
  /** Traffic limit in bytes; 0: unlimited. */
  readonly dataLimit: number;
  /** The end of the user's time; null: never. */
  readonly expire: Date | null;
  readonly now: Date;
  readonly url: string;
  readonly links: readonly { readonly name: string; readonly link: string }[];
  readonly applications: readonly PageApplication[];
  /** URL of the support page; empty: none. */
  readonly supportUrl: string;
  readonly announce: string;
  readonly announceUrl: string;
}

const DAY_MS = 86_400_000;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Content security policy of the page: nothing from other servers, no other inline code, no frames, no forms. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(PAGE_STYLE)}`,
  `script-src ${hashOf(PAGE_SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function renderPage(page: SubscriptionPage, language: PageLanguage): string {
  const text = PAGE_TEXTS[language];
  const [other = language] = PAGE_LANGUAGES.filter((known) => known !== language);
  return html`<!doctype html>
<html lang="${language}" dir="${text.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title}</title>
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<header><h1><bdi>${page.username}</bdi></h1><a href="?lang=${other}" lang="${other}">${text.other}</a></header>
<p class="status status-${page.status}">${text.status[page.status]}</p>
${announcement(page)}
${usage(page, language)}
${subscription(page, language)}
${applicationList(page.applications, language)}
${servers(page, language)}
${support(page, language)}
<script>${raw(PAGE_SCRIPT)}</script>
</body>
</html>
`.text;
}

const raw = (text: string): Html => new Html(text);

function announcement({ announce, announceUrl }: SubscriptionPage): Html {
  if (announce === '') return NOTHING;
  const words = html`<bdi>${announce}</bdi>`;
  return html`<p class="note">${announceUrl === '' ? words : html`<a href="${announceUrl}" rel="noreferrer">${words}</a>`}</p>`;
}

function usage({ status, usedTraffic, dataLimit, expire, now }: SubscriptionPage, language: PageLanguage): Html {
  const { used, of, unlimited, expires, never, afterFirstUse } = PAGE_TEXTS[language];
  const digits = (value: string) => localDigits(value, language);
  const amount = html`<bdi>${digits(formatByteSize(usedTraffic))}</bdi>`;
  const limit = dataLimit > 0 ? html`${of} <bdi>${digits(formatByteSize(dataLimit))}</bdi>` : html`(${unlimited})`;
  const bar = html`<progress max="100" value="${Math.min(100, Math.round((usedTraffic / dataLimit) * 100))}"></progress>`;
  const end = expire && html`<bdi>${digits(dateOf(expire, language))}</bdi> (${remaining(expire, now, language)})`;
  return html`<dl>
<dt>${used}</dt><dd>${amount} ${limit}</dd>
<dt>${expires}</dt><dd>${status === 'on_hold' ? afterFirstUse : (end ?? never)}</dd>
</dl>
${dataLimit > 0 ? bar : NOTHING}`;
}

const dateOf = (date: Date, language: PageLanguage): string =>
  language === 'fa' ? jalaliDate(date).replaceAll('-', '/') : isoDate(date);

function remaining(expire: Date, now: Date, language: PageLanguage): string {
  const days = (expire.getTime() - now.getTime()) / DAY_MS;
  const whole = days > 0 ? Math.ceil(days) : Math.floor(days);
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(whole, 'day');
}

const localDigits = (text: string, language: PageLanguage): string =>
  language === 'fa' ? text.replace(/\d/g, (digit) => String.fromCharCode(0x6f0 + Number(digit))) : text;

function subscription({ url }: SubscriptionPage, language: PageLanguage): Html {
  const text = PAGE_TEXTS[language];
  return html`<section><h2>${text.subscription}</h2>
<p>${text.subscriptionHint}</p>
<code id="subscription">${url}</code>
${copyable('subscription', NOTHING, language)}</section>`;
}

/** A button that copies the text of an element, and one that opens its QR code. */
function copyable(id: string, shown: Html, language: PageLanguage): Html {
  const { copy, copied, code } = PAGE_TEXTS[language];
  return html`<div class="row"><button type="button" data-copy="${id}" data-label="${copy}" data-done="${copied}">${copy}</button>
<details><summary>${code}</summary>${shown}<canvas data-code="${id}"></canvas></details></div>`;
}

function servers({ links }: SubscriptionPage, language: PageLanguage): Html {
  const { servers, noServers } = PAGE_TEXTS[language];
  const items = links.map(({ name, link }, index) => {
    const id = `link-${index}`;
    const shown = html`<code id="${id}">${link}</code>`;
    return html`<li><bdi>${name}</bdi>${copyable(id, shown, language)}</li>
`;
  });
  return html`<section><h2>${servers}</h2>${links.length > 0 ? html`<ul>${items}</ul>` : html`<p>${noServers}</p>`}</section>`;
}

function support({ supportUrl }: SubscriptionPage, language: PageLanguage): Html {
  if (supportUrl === '') return NOTHING;
  return html`<section><p><a href="${supportUrl}" rel="noreferrer">${PAGE_TEXTS[language].support}</a></p></section>`;
}
