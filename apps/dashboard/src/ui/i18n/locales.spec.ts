import { describe, expect, it } from '@jest/globals';
import { formatOf } from './format';
import { changeLanguage, i18n, startLanguage, withTexts } from './i18n';
import { LANGUAGES, type Language } from './languages';
import { loadPart, loadTexts, PARTS } from './texts';
import { wordsOf } from './words';

type Texts = { [key: string]: string | Texts };

const entriesOf = (texts: Texts, path = ''): [string, string][] =>
  Object.entries(texts).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[path + key, value]] : entriesOf(value, `${path}${key}.`),
  );
/** All texts of a language: what every page has, and every part. */
async function allTexts(language: Language): Promise<[string, string][]> {
  const files = await Promise.all([loadTexts(language), ...PARTS.map((part) => loadPart(language, part))]);
  return files.flatMap((texts) => entriesOf(texts as Texts));
}
const PLURAL = /_(zero|one|two|few|many|other)$/;
const variablesOf = (text: string): string => [...new Set(text.match(/\{\{\w+/g) ?? [])].sort().join();

describe('the texts of a language', () => {
  it.each(LANGUAGES)(
    'the texts of %s have every key of the English ones, with the same variables',
    async (language) => {
      const bare = (entries: [string, string][]) =>
        new Map(entries.map(([key, text]) => [key.replace(PLURAL, ''), variablesOf(text)]));
      expect([...bare(await allTexts(language))].sort()).toEqual([...bare(await allTexts('en'))].sort());
    },
  );

  it.each(LANGUAGES)('the texts of %s have all of its plural forms', async (language) => {
    const entries = await allTexts(language);
    const stems = new Set(entries.flatMap(([key]) => (PLURAL.test(key) ? [key.replace(PLURAL, '')] : [])));
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    const missing = [...stems]
      .flatMap((stem) => forms.map((form) => `${stem}_${form}`))
      .filter((key) => !entries.some(([one]) => one === key));
    expect(missing).toEqual([]);
  });

  it('the texts of a page come with it, in the language that the page is in and in those that it changes to', async () => {
    await Promise.all([startLanguage('en'), withTexts('audit', Promise.resolve('page'))]);
    expect(await withTexts('admins', Promise.resolve('page'))).toBe('page');
    expect([wordsOf('audit.at'), wordsOf('admins.role'), wordsOf('settings.saved')]).toEqual([
      'When',
      'Role',
      undefined,
    ]);
    await changeLanguage('ru');
    expect(i18n.t('admins.role')).toBe('Роль');
    await withTexts('settings', Promise.resolve('page'));
    await changeLanguage('en');
    expect([wordsOf('settings.saved'), wordsOf('nav.users')]).toEqual(['The settings are saved', 'Users']);
  });
});

describe(formatOf.name, () => {
  it('writes sizes and numbers in the digits of the language', () => {
    expect(formatOf('en').bytes(1_610_612_736)).toBe('1.5 GB');
    expect(formatOf('en').bytes(0)).toBe('0 B');
    expect(formatOf('fa').bytes(1_610_612_736)).toBe('۱٫۵ GB');
    expect(formatOf('fa').number(1234)).toBe('۱٬۲۳۴');
  });

  it('writes Persian dates in the Jalali calendar', () => {
    expect(formatOf('fa').day('2026-03-21T12:00:00Z')).toBe('۱ فروردین ۱۴۰۵');
    expect(formatOf('en').day('2026-03-21T12:00:00Z')).toBe('21 Mar 2026');
  });

  it('writes distances in the largest unit that fits', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(formatOf('en').relative('2026-01-04T00:00:00Z', now)).toBe('in 3 days');
    expect(formatOf('en').relative('2025-12-31T23:00:00Z', now)).toBe('1 hour ago');
  });

  it('counts whole days until an end, and hours on the last day', () => {
    const left = (hours: number, language: Language = 'en') => formatOf(language).left(hours * 3_600_000, 0);
    expect([30 * 24 + 4, 30 * 24 + 23, 24, 23.6, 5.4, 0.1, 0, -1, Number.NaN].map((hours) => left(hours))).toEqual([
      ...['30 days', '30 days', '1 day', '1 day', '5 hours', '1 hour'],
      ...[undefined, undefined, undefined],
    ]);
    // What was given exactly so long a moment ago is not a day less already.
    expect(left(30 * 24 - 0.1)).toBe('30 days');
    expect(left(30 * 24, 'fa')).toBe('۳۰ روز');
  });
});
