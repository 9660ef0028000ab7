import type { RenderedSubscription } from '@rampart/subscription';
import type { DownloadLink } from '../settings/client-application.dto.js';
import { DEFAULT_PROFILE_TITLE } from '../settings/subscription-settings.dto.js';
import { importLink, KNOWN_APPLICATIONS } from './page/known-applications.js';
import { PAGE_TEXTS, type PageLanguage } from './page/page-language.js';
import { PAGE_PLATFORMS, type PagePlatform } from './page/page-platform.js';
import type { PageApplication, PageSetup } from './page/page-setup.js';
import type { SubscriptionPage } from './page/subscription-page.js';
import type { ServerStates } from './server-states.js';
import type { Subscription } from './subscription-reader.js';

/** What the page needs beside the subscription. */
export interface PageCircumstances {
  readonly language: PageLanguage;
  /** The platform that the reader has chosen. */
  readonly chosen: PagePlatform | undefined;
  /** The platform of the browser. */
  readonly guessed: PagePlatform;
  /** Bytes of each of the last days, the oldest first. */
  readonly history: readonly number[];
  readonly states: ServerStates;
}

/** The contents of the page of a subscription. */
export function pageOf(
  { user, settings, url, title, supportUrl, now }: Subscription,
  { body, proxies }: Pick<RenderedSubscription, 'body' | 'proxies'>,
  { language, chosen, guessed, history, states }: PageCircumstances,
): SubscriptionPage {
  // Links carry every proxy, each on a line of its own.
  const links = proxies.length > 0 ? body.toString().split('\n') : [];
  const { username, status, usedTraffic, dataLimit, expire } = user;
  const shownTitle = title === DEFAULT_PROFILE_TITLE ? PAGE_TEXTS[language].title : title;
  return {
    title: shownTitle,
    logo: settings.logo,
    username,
    status,
    usedTraffic,
    dataLimit,
    expire,
    now,
    url,
    history,
    servers: links.map((link, at) => ({
      name: proxies[at]?.name ?? '',
      link,
      state: states.get(proxies[at]?.host.id ?? 0),
    })),
    setup: setupOf(settings, { url, title, chosen, guessed }, language),
    supportUrl,
    announce: settings.announce,
    announceUrl: settings.announce_url,
  };
}

type Wanted = Pick<Subscription, 'url' | 'title'> & Pick<PageCircumstances, 'chosen' | 'guessed'>;

/** Without applications in the settings, these platforms are offered only to those who ask from one. */
const TELEVISIONS: readonly PagePlatform[] = ['androidtv', 'appletv'];

/** The applications of the settings for the platform, or of one that has any; without settings those that are known. */
function setupOf(
  { applications }: Subscription['settings'],
  { url, title, chosen, guessed }: Wanted,
  language: PageLanguage,
): PageSetup {
  const wanted = chosen ?? guessed;
  const platforms = PAGE_PLATFORMS.filter((known) =>
    applications.length === 0
      ? known === wanted || !TELEVISIONS.includes(known)
      : applications.some((one) => one.platform === known),
  );
  const platform = platforms.find((known) => known === wanted) ?? platforms[0] ?? wanted;
  const linkOf = (template: string) => importLink(template, url, title);
  const known = KNOWN_APPLICATIONS[platform].map(
    ({ name, importUrl, downloads }, at): PageApplication => ({
      name,
      importUrl: linkOf(importUrl),
      recommended: at === 0,
      description: '',
      downloads,
    }),
  );
  const own = applications
    .filter((one) => one.platform === platform)
    .map(
      ({ name, import_url, recommended, description, download_links }): PageApplication => ({
        name,
        importUrl: linkOf(import_url),
        recommended,
        description: description[language],
        downloads: inLanguage(download_links, language),
      }),
    )
    .sort((left, right) => Number(right.recommended) - Number(left.recommended));
  return {
    platform,
    isGuessed: chosen === undefined,
    platforms,
    applications: applications.length === 0 ? known : own,
  };
}

/** The pages in this language; where there are none, those in other languages. */
function inLanguage(links: readonly DownloadLink[], language: PageLanguage): readonly DownloadLink[] {
  const own = links.filter((link) => link.language === language);
  return own.length > 0 ? own : links;
}
