import type { Language } from './languages';
import type admins from './locales/admins/en.json';
import type audit from './locales/audit/en.json';
import type en from './locales/en.json';
import type settings from './locales/settings/en.json';

/** The texts of pages that few open; each part stands under its own name beside the others. */
interface Parts {
  admins: typeof admins;
  audit: typeof audit;
  settings: typeof settings;
}
export const PARTS = ['admins', 'audit', 'settings'] as const satisfies (keyof Parts)[];
export type Part = (typeof PARTS)[number];
export type Texts = typeof en & Parts;

type Load = () => Promise<{ default: object }>;

/** The texts of each language are files of their own, which are loaded when the language is used: what every page has, and the parts. */
const TEXTS: Readonly<Record<Language, Readonly<Record<'main' | Part, Load>>>> = {
  en: {
    main: () => import('./locales/en.json'),
    admins: () => import('./locales/admins/en.json'),
    audit: () => import('./locales/audit/en.json'),
    settings: () => import('./locales/settings/en.json'),
  },
  fa: {
    main: () => import('./locales/fa.json'),
    admins: () => import('./locales/admins/fa.json'),
    audit: () => import('./locales/audit/fa.json'),
    settings: () => import('./locales/settings/fa.json'),
  },
  ru: {
    main: () => import('./locales/ru.json'),
    admins: () => import('./locales/admins/ru.json'),
    audit: () => import('./locales/audit/ru.json'),
    settings: () => import('./locales/settings/ru.json'),
  },
  zh: {
    main: () => import('./locales/zh.json'),
    admins: () => import('./locales/admins/zh.json'),
    audit: () => import('./locales/audit/zh.json'),
    settings: () => import('./locales/settings/zh.json'),
  },
};

export const loadTexts = async (language: Language): Promise<object> => (await TEXTS[language].main()).default;

/** The texts of one part, under its name. */
export const loadPart = async (language: Language, part: Part): Promise<object> => ({
  [part]: (await TEXTS[language][part]()).default,
});
