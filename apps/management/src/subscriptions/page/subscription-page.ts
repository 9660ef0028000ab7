import { createHash } from 'node:crypto';
import { Html, html, NOTHING } from './html.js';
import { qrCode } from './page-code.js';
import { historySection } from './page-history.js';
import { PAGE_LANGUAGES, PAGE_TEXTS, type PageLanguage } from './page-language.js';
import { PAGE_SCRIPT } from './page-script.js';
import { copyButton, type PageServer, serversSection } from './page-servers.js';
import { isHandheld, type PageSetup, setupSection } from './page-setup.js';
import { PAGE_STYLE } from './page-style.js';
import { type PageUsage, usageSection } from './page-usage.js';

/** The contents of the page. */
export interface SubscriptionPage extends PageUsage {
  readonly title: string;
  /** A picture as a `data:` URL; empty: none. */
  readonly logo: string;
  readonly username: string;
  readonly url: string;
  /** Bytes of each of the last days, the oldest first and today last. */
  readonly history: readonly number[];
  readonly servers: readonly PageServer[];
  readonly setup: PageSetup;
  /** URL of the support page; empty: none. */
  readonly supportUrl: string;
  readonly announce: string;
  readonly announceUrl: string;
}

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

/** The same for a page with a logo, which is a part of the page. Pictures run no scripts and load nothing. */
export const PAGE_POLICY_WITH_LOGO = `${PAGE_POLICY}; img-src data:`;

export function renderPage(page: SubscriptionPage, language: PageLanguage): string {
  const text = PAGE_TEXTS[language];
  const { title, setup, servers } = page;
  const guessed = setup.isGuessed ? setup.platform : '';
  return html`<!doctype html>
<html lang="${language}" dir="${text.direction}" data-copied="${text.copied}" data-guessed="${guessed}" data-tablet="?lang=${language}&amp;os=ios">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${raw(PAGE_STYLE)}</style>
<script>${raw(PAGE_SCRIPT)}</script>
</head>
<body>
<header>${logo(page)}<h1><bdi>${title}</bdi></h1>${languageMenu(page, language)}</header>
<main>${announcement(page)}<div>
${usageSection(page, person(page, language), language)}
${setupSection(setup, { title, servers: servers.length }, language)}
</div><div>
${link(page, language)}
${historySection(page.history, page.now, language)}
${serversSection(servers, language)}
</div></main>
${support(page, language)}
</body>
</html>
`.text;
}

const raw = (text: string): Html => new Html(text);

/** The operator's picture, or the first letter of the title. */
function logo({ logo, title }: SubscriptionPage): Html {
  if (logo !== '') return html`<img class="logo" src="${logo}" alt="">`;
  const [first = ''] = title.trim();
  return html`<span class="logo" aria-hidden="true">${first.toUpperCase()}</span>`;
}

/** Who reads, the status, and what to do for those who are not served. */
function person({ username, status, supportUrl }: SubscriptionPage, language: PageLanguage): Html {
  const text = PAGE_TEXTS[language];
  const who = html`<p class="row who"><bdi>${username}</bdi><span class="status status-${status}">${text.status[status]}</span></p>`;
  if (status === 'active') return who;
  const help = supportUrl === '' || status === 'on_hold' ? NOTHING : html` ${supportLink(supportUrl, language)}`;
  return html`${who}<p class="notice ${status}">${text.notice[status]}${help}</p>`;
}

function languageMenu({ setup }: SubscriptionPage, language: PageLanguage): Html {
  const platform = setup.isGuessed ? '' : `&os=${setup.platform}`;
  const links = PAGE_LANGUAGES.map((known) => {
    const current = known === language ? html` aria-current="true"` : NOTHING;
    return html`<li><a href="?lang=${known}${platform}" lang="${known}"${current}>${PAGE_TEXTS[known].name}</a></li>`;
  });
  const { language: word, name } = PAGE_TEXTS[language];
  return html`<details class="menu"><summary><span class="hidden">${word}: </span>${name}</summary><ul>${links}</ul></details>`;
}

function announcement({ announce, announceUrl }: SubscriptionPage): Html {
  if (announce === '') return NOTHING;
  const words = html`<bdi>${announce}</bdi>`;
  return html`<p class="note">${announceUrl === '' ? words : html`<a href="${announceUrl}" rel="noreferrer">${words}</a>`}</p>`;
}

/** The link with its QR code, which is open where it is likely scanned from. */
function link({ url, setup }: SubscriptionPage, language: PageLanguage): Html {
  const text = PAGE_TEXTS[language];
  const open = isHandheld(setup.platform) ? NOTHING : html` open`;
  return html`<section><h2>${text.subscription}</h2><p class="quiet">${text.subscriptionHint}</p>
<code id="subscription">${url}</code>${copyButton('subscription', language)}
<details${open}><summary>${text.code}</summary>${qrCode('subscription', url, text.code)}<p class="quiet">${text.scan}</p></details></section>`;
}

function support({ supportUrl }: SubscriptionPage, language: PageLanguage): Html {
  if (supportUrl === '') return NOTHING;
  return html`<footer>${supportLink(supportUrl, language)}</footer>`;
}

const supportLink = (url: string, language: PageLanguage): Html =>
  html`<a href="${url}" rel="noreferrer">${PAGE_TEXTS[language].support}</a>`;
