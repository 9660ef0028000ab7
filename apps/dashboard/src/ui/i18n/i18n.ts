import { createInstance } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { formatIn } from './format';
import { LANGUAGE, type Language, preferredLanguage, storeLanguage } from './languages';
import type en from './locales/en.json';
import { loadTexts } from './texts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
  }
}

export const i18n = createInstance();

function showLanguage(language: Language): void {
  document.documentElement.lang = language;
  document.documentElement.dir = LANGUAGE[language].dir;
}

/** Loads the texts of the preferred language; nothing can be shown before. */
export async function startLanguage(language = preferredLanguage()): Promise<void> {
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
}

/** Changes the language of the page, and keeps the choice in this browser. */
export async function changeLanguage(language: Language): Promise<void> {
  const texts = await loadTexts(language);
  i18n.addResourceBundle(language, 'translation', texts);
  storeLanguage(language);
  showLanguage(language);
  await i18n.changeLanguage(language);
}
