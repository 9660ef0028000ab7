import type { RenderedSubscription } from '@rampart/subscription';
import { importLink, KNOWN_APPLICATIONS } from './page/known-applications.js';
import type { PageApplication } from './page/page-applications.js';
import type { PageLanguage } from './page/page-text.js';
import type { SubscriptionPage } from './page/subscription-page.js';
import type { Subscription } from './subscription-reader.js';

/** The contents of the page of a subscription. */
export function pageOf(
  { user, settings, url, title, supportUrl, now }: Subscription,
  { body, proxies }: Pick<RenderedSubscription, 'body' | 'proxies'>,
  language: PageLanguage,
): SubscriptionPage {
  // Links carry every proxy, each on a line of its own.
  const links = proxies.length > 0 ? body.toString().split('\n') : [];
  const { username, status, usedTraffic, dataLimit, expire } = user;
  return {
    title,
    username,
    status,
    usedTraffic,
    dataLimit,
    expire,
    now,
    url,
    links: links.map((link, index) => ({ name: proxies[index]?.name ?? '', link })),
    applications: applicationsOf(settings, { url, title }, language),
    supportUrl,
    announce: settings.announce,
    announceUrl: settings.announce_url,
  };
}

function applicationsOf(
  { applications }: Subscription['settings'],
  { url, title }: Pick<Subscription, 'url' | 'title'>,
  language: PageLanguage,
): PageApplication[] {
  if (applications.length === 0) {
    const known = { recommended: false, platform: '', description: '', downloads: [] };
    return KNOWN_APPLICATIONS.map(([name, template]) => ({
      ...known,
      name,
      importUrl: importLink(template, url, title),
    }));
  }
  return applications.map(({ name, import_url, recommended, platform, description, download_links }) => ({
    name,
    importUrl: importLink(import_url, url, title),
    recommended,
    platform,
    description: description[language],
    downloads: download_links.filter((link) => link.language === language),
  }));
}
