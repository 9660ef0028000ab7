export const LANGUAGES = ['en', 'fa', 'ru', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each language by its own name, its direction, and the locale of its dates and numbers. */
export const LANGUAGE: Readonly<Record<Language, { name: string; dir: 'ltr' | 'rtl'; locale: string }>> = {
  en: { name: 'English', dir: 'ltr', locale: 'en-GB' },
  fa: { name: 'فارسی', dir: 'rtl', locale: 'fa-IR-u-ca-persian' },
  ru: { name: 'Русский', dir: 'ltr', locale: 'ru-RU' },
  zh: { name: '中文', dir: 'ltr', locale: 'zh-CN' },
};

const STORED = 'rampart.language';

export const isLanguage = (text: unknown): text is Language => LANGUAGES.some((one) => one === text);

/** The language that was chosen in this browser, else the first one of the browser's that there is. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(STORED);
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((tag) => tag.split('-', 1)[0]).find(isLanguage) ?? 'en';
}

export const storeLanguage = (language: Language): void => localStorage.setItem(STORED, language);
