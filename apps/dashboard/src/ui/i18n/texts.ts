import type { Language } from './languages';

/** The texts of each language are a file of their own, which is loaded when the language is used. */
const TEXTS: Readonly<Record<Language, () => Promise<{ default: object }>>> = {
  en: () => import('./locales/en.json'),
  fa: () => import('./locales/fa.json'),
  ru: () => import('./locales/ru.json'),
  zh: () => import('./locales/zh.json'),
};

export const loadTexts = async (language: Language): Promise<object> => (await TEXTS[language]()).default;
