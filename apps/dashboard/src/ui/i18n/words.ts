import { i18n } from './i18n';

/** The text under a key that is made at run time, from a value of the API for example; undefined where there is none. */
export const wordsOf = (key: string, values: Readonly<Record<string, unknown>> = {}): string | undefined =>
  i18n.exists(key, values) ? String(i18n.t(key as 'common.close', values)) : undefined;
