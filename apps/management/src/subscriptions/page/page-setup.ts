import { type Html, html, NOTHING } from './html.js';
import type { Download } from './known-applications.js';
import { filled, formatOf } from './page-format.js';
import { PAGE_TEXTS, type PageLanguage } from './page-language.js';
import type { PagePlatform } from './page-platform.js';
import type { PlatformFamily } from './text/page-text.js';

/** An application that the page offers. */
export interface PageApplication {
  readonly name: string;
  /** The link that opens it with this subscription; empty when there is none. */
  readonly importUrl: string;
  readonly recommended: boolean;
  readonly description: string;
  readonly downloads: readonly Download[];
}

/** What the reader's device needs to use the subscription. */
export interface PageSetup {
  readonly platform: PagePlatform;
  /** Whether the platform was guessed from the User-Agent. */
  readonly isGuessed: boolean;
  /** Platforms that have applications. */
  readonly platforms: readonly PagePlatform[];
  /** Applications of the platform; the steps are for the first, the others are listed. */
  readonly applications: readonly PageApplication[];
}

const FAMILIES: Readonly<Record<PagePlatform, PlatformFamily>> = {
  android: 'android',
  androidtv: 'android',
  ios: 'apple',
  appletv: 'apple',
  windows: 'desktop',
  macos: 'desktop',
  linux: 'desktop',
};

/** Whether a device of this platform is one that scans codes, and not one from whose screen they are scanned. */
export const isHandheld = (platform: PagePlatform): boolean => platform === 'android' || platform === 'ios';

/** The way to a first connection in three steps, with what to expect on the screen. */
export function setupSection(
  { platform, platforms, applications }: PageSetup,
  { title, servers }: { title: string; servers: number },
  language: PageLanguage,
): Html {
  const text = PAGE_TEXTS[language];
  const [first, ...others] = applications;
  if (!first) return NOTHING;
  const family = FAMILIES[platform];
  const values = {
    app: first.name,
    title,
    servers: formatOf(language).count(servers),
    platform: text.platforms[platform],
  };
  const note = first.recommended ? html` <small class="tag">${text.recommended}</small>` : NOTHING;
  return html`<section id="setup"><h2>${text.setUp}</h2>
${platformLinks(platforms, platform, language)}
<ol class="steps">
<li><h3>${filled(text.install, values)}${note}</h3>${described(first)}
${downloadLinks(first.downloads)}<p>${filled(installText(first, family, language), values)}</p></li>
<li><h3>${text.add}</h3>${addition(first, values, language)}</li>
<li><h3>${text.connect}</h3><p>${filled(text.connectExpect[family], values)}</p></li>
</ol>
${otherApplications(others, language)}</section>`;
}

function installText({ downloads }: PageApplication, family: PlatformFamily, language: PageLanguage): string {
  const { installExpect, installSearch } = PAGE_TEXTS[language];
  if (downloads.length === 0) return installSearch;
  return installExpect[downloads[0]?.url.startsWith('https://apps.apple.com/') ? 'apple' : family];
}

function platformLinks(platforms: readonly PagePlatform[], current: PagePlatform, language: PageLanguage): Html {
  const { device, platforms: names } = PAGE_TEXTS[language];
  const links = platforms.map((platform) => {
    const mark = platform === current ? html` aria-current="true"` : NOTHING;
    return html`<a href="?lang=${language}&amp;os=${platform}#setup"${mark}>${names[platform]}</a>`;
  });
  return html`<nav class="chips" aria-label="${device}">${links}</nav>`;
}

function addition(
  { importUrl }: PageApplication,
  values: Readonly<Record<string, string>>,
  language: PageLanguage,
): Html {
  const text = PAGE_TEXTS[language];
  if (importUrl === '') return html`<p>${filled(text.addByCopy, values)}</p>`;
  return html`<a class="button main" href="${importUrl}">${filled(text.addTo, values)}</a>
<p>${filled(text.addExpect, values)}</p><p class="quiet">${filled(text.addFallback, values)}</p>`;
}

function otherApplications(applications: readonly PageApplication[], language: PageLanguage): Html {
  if (applications.length === 0) return NOTHING;
  const { otherApps, add, recommended: word } = PAGE_TEXTS[language];
  const items = applications.map((application) => {
    const { name, importUrl, recommended, downloads } = application;
    const note = recommended ? html` <small class="tag">${word}</small>` : NOTHING;
    const link = importUrl === '' ? NOTHING : html`<a class="button" href="${importUrl}">${add}</a>`;
    return html`<li><b><bdi>${name}</bdi>${note}</b>${described(application)}<div class="row">${link}${links(downloads)}</div></li>`;
  });
  return html`<details class="more"><summary>${otherApps}</summary><ul>${items}</ul></details>`;
}

const described = ({ description }: PageApplication): Html =>
  description === '' ? NOTHING : html`<p><bdi>${description}</bdi></p>`;

const downloadLinks = (downloads: readonly Download[]): Html =>
  downloads.length === 0 ? NOTHING : html`<div class="row">${links(downloads)}</div>`;

const links = (downloads: readonly Download[]): Html[] =>
  downloads.map(({ name, url }) => html`<a class="button" href="${url}" rel="noreferrer"><bdi>${name}</bdi></a>`);
