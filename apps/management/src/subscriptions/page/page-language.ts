import { CHINESE } from './text/chinese.js';
import { ENGLISH } from './text/english.js';
import type { PageText } from './text/page-text.js';
import { PERSIAN } from './text/persian.js';
import { RUSSIAN } from './text/russian.js';

export const PAGE_LANGUAGES = ['en', 'fa', 'ru', 'zh'] as const;
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

export const PAGE_TEXTS: Readonly<Record<PageLanguage, PageText>> = {
  en: ENGLISH,
  fa: PERSIAN,
  ru: RUSSIAN,
  zh: CHINESE,
};

/** The language of this name, if the page exists in it. */
export const knownLanguage = (name: string | undefined): PageLanguage | undefined =>
  PAGE_LANGUAGES.find((known) => known === name);

/** The first language of `Accept-Language` in which the page exists. */
export function preferredLanguage(acceptLanguage = ''): PageLanguage {
  const names = acceptLanguage
    .slice(0, 256)
    .split(',', 20)
    .map((part) => part.trim().slice(0, 2).toLowerCase());
  return names.map(knownLanguage).find((known) => known !== undefined) ?? 'en';
}
