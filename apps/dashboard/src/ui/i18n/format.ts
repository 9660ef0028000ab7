import { useTranslation } from 'react-i18next';
import { isLanguage, LANGUAGE, type Language } from './languages';

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;
type Moment = string | number | Date;

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Stands for a number that is none, and for a moment that cannot be read. */
const UNKNOWN = '—';
const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** From here on digits say nothing. */
const HUGE = 1e15;

/** Makes a value when it is first asked for: formats are costly, and a page uses few of them. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Writes numbers, sizes and moments as readers of the language do; in Persian with its digits and its calendar. */
export function formatOf(language: Language) {
  const { locale } = LANGUAGE[language];
  const numbers = (options?: Intl.NumberFormatOptions) => lazily(() => new Intl.NumberFormat(locale, options));
  const dates = (options: Intl.DateTimeFormatOptions) => lazily(() => new Intl.DateTimeFormat(locale, options));
  const fraction = numbers({ maximumFractionDigits: 1 });
  const huge = numbers({ notation: 'scientific', maximumFractionDigits: 1 });
  const days = numbers({ style: 'unit', unit: 'day', unitDisplay: 'long' });
  const hours = numbers({ style: 'unit', unit: 'hour', unitDisplay: 'long' });
  const relative = lazily(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));
  const numberBy = (usual: () => Intl.NumberFormat) => (value: number) =>
    Number.isFinite(value) ? (Math.abs(value) < HUGE ? usual : huge)().format(value) : UNKNOWN;
  const dateBy = (usual: () => Intl.DateTimeFormat) => (value: Moment) => {
    const date = new Date(value);
    return Number.isNaN(date.getTime()) ? UNKNOWN : usual().format(date);
  };
  return {
    number: numberBy(numbers()),
    /** A part of the whole, from 0 to 1. */
    percent: numberBy(numbers({ style: 'percent' })),
    bytes(value: number) {
      if (!Number.isFinite(value)) return UNKNOWN;
      const power = Math.min(Math.floor(Math.log2(Math.max(value, 1)) / 10), UNITS.length - 1);
      return `${numberBy(fraction)(value / 1024 ** power)} ${UNITS[power]}`;
    },
    day: dateBy(dates({ dateStyle: 'medium' })),
    dayMonth: dateBy(dates({ day: 'numeric', month: 'short' })),
    moment: dateBy(dates({ dateStyle: 'medium', timeStyle: 'short' })),
    time: dateBy(dates({ timeStyle: 'medium' })),
    /** The distance between two moments in the largest unit that fits, such as "in 3 days". */
    relative(value: Moment, now = Date.now()) {
      const seconds = (new Date(value).getTime() - now) / 1000;
      if (Number.isNaN(seconds)) return UNKNOWN;
      const [unit, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const);
      return relative().format(Math.round(seconds / size), unit);
    },
    /** What is left until a moment, in whole days, or in the nearest hours below a day; undefined where it has come. */
    left(value: Moment, now = Date.now()): string | undefined {
      const ms = new Date(value).getTime() - now;
      if (!(ms > 0)) return undefined;
      const rounded = Math.max(1, Math.round(ms / HOUR_MS));
      return rounded < DAY_HOURS ? hours().format(rounded) : days().format(Math.floor(rounded / DAY_HOURS));
    },
  };
}

export type Format = ReturnType<typeof formatOf>;

const formats = new Map<Language, Format>();

/** The format of a language, the same one wherever it is used; English for others. */
export function formatIn(name: string | undefined): Format {
  const language = isLanguage(name) ? name : 'en';
  const format = formats.get(language) ?? formatOf(language);
  formats.set(language, format);
  return format;
}

/** The format of the language that the page is in. */
export const useFormat = (): Format => formatIn(useTranslation().i18n.language);
