import { createInstance } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { formatIn } from './format';
import { LANGUAGE, type Language, preferredLanguage, storeLanguage } from './languages';
import { loadPart, loadTexts, type Part, type Texts } from './texts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: Texts };
  }
}

export const i18n = createInstance();

/** The languages that the page shows, has shown or is about to show, and the parts of their texts that its pages need. */
const languages = new Set<Language>();
const parts = new Set<Part>();
let markStarted: () => void;
const started = new Promise<void>((resolve) => {
  markStarted = resolve;
});

function showLanguage(language: Language): void {
  document.documentElement.lang = language;
  document.documentElement.dir = LANGUAGE[language].dir;
}

async function addPart(language: Language, part: Part): Promise<void> {
  const [texts] = await Promise.all([loadPart(language, part), started]);
  i18n.addResourceBundle(language, 'translation', texts, true);
}

/** Loads the texts of the preferred language that every page has; nothing can be shown before. */
export async function startLanguage(language = preferredLanguage()): Promise<void> {
  languages.add(language);
  const texts = await loadTexts(language);
  await i18n.use(initReactI18next).init({
    lng: language,
    resources: { [language]: { translation: texts } },
    interpolation: { escapeValue: false },
    fallbackLng: false,
  });
  // The library's own makes a format for each text, which takes as long as drawing a row.
  i18n.services.formatter?.add('number', (value: number, name) => formatIn(name).number(value));
  showLanguage(language);
  markStarted();
}

/** Loads a page together with the part of the texts that it alone shows, in the language of the page and in each that it changes to. */
export async function withTexts<Page>(part: Part, page: Promise<Page>): Promise<Page> {
  parts.add(part);
  const [loaded] = await Promise.all([page, ...[...languages].map((language) => addPart(language, part))]);
  return loaded;
}

/** Changes the language of the page, and keeps the choice in this browser. */
export async function changeLanguage(language: Language): Promise<void> {
  languages.add(language);
  const [texts] = await Promise.all([loadTexts(language), ...[...parts].map((part) => addPart(language, part))]);
  i18n.addResourceBundle(language, 'translation', texts, true);
  storeLanguage(language);
  showLanguage(language);
  await i18n.changeLanguage(language);
}
