import { createInstance } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { LANGUAGE, type Language, preferredLanguage, storeLanguage } from './languages';
import type en from './locales/en.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
  }
}

/** The texts of each language are a file of their own, which is loaded when the language is used. */
const TEXTS: Readonly<Record<Language, () => Promise<{ default: object }>>> = {
  en: () => import('./locales/en.json'),
  fa: () => import('./locales/fa.json'),
  ru: () => import('./locales/ru.json'),
  zh: () => import('./locales/zh.json'),
};

export const i18n = createInstance();

function showLanguage(language: Language): void {
  document.documentElement.lang = language;
  document.documentElement.dir = LANGUAGE[language].dir;
}

/** Loads the texts of the preferred language; nothing can be shown before. */
export async function startLanguage(language = preferredLanguage()): Promise<void> {
  const { default: texts } = await TEXTS[language]();
  await i18n.use(initReactI18next).init({
    lng: language,
    resources: { [language]: { translation: texts } },
    interpolation: { escapeValue: false },
    fallbackLng: false,
  });
  showLanguage(language);
}

/** Changes the language of the page, and keeps the choice in this browser. */
export async function changeLanguage(language: Language): Promise<void> {
  const { default: texts } = await TEXTS[language]();
  i18n.addResourceBundle(language, 'translation', texts);
  storeLanguage(language);
  showLanguage(language);
  await i18n.changeLanguage(language);
}
