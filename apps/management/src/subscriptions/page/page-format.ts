import { formatByteSize } from '@rampart/domain';
import { type Html, html } from './html.js';
import { PAGE_TEXTS, type PageLanguage } from './page-language.js';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** Writes sizes, numbers and dates as readers of a language do; in Persian with its digits and its calendar. */
export interface PageFormat {
  bytes(size: number): string;
  count(value: number): string;
  /** A part of the whole, from 0 to 1, in whole percents. */
  percent(part: number): string;
  /** The day of a moment in UTC, with the year. */
  date(moment: Date): string;
  /** The day of a moment in UTC, without the year. */
  day(moment: Date): string;
  /** A duration above 0 in whole days, or in the nearest hours, at least 1, where it is shorter than a day. */
  duration(ms: number): string;
}

/** The format of a language is made with its first page, because the tables of a language take some MB. */
const FORMATS = new Map<PageLanguage, PageFormat>();

export function formatOf(language: PageLanguage): PageFormat {
  const known = FORMATS.get(language) ?? createFormat(language);
  FORMATS.set(language, known);
  return known;
}

function createFormat(language: PageLanguage): PageFormat {
  const { locale, units } = PAGE_TEXTS[language];
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent' });
  const date = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', year: 'numeric', month: 'short', day: 'numeric' });
  const day = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'short', day: 'numeric' });
  const inUnit = (unit: string) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' });
  const [days, hours] = [inUnit('day'), inUnit('hour')];
  return {
    bytes(size) {
      const [value = '', unit = ''] = formatByteSize(size).split(' ');
      return `${number.format(Number(value))} ${units[ENGLISH_UNITS.indexOf(unit)] ?? unit}`;
    },
    count: (value) => number.format(value),
    percent: (part) => percent.format(part),
    date: (moment) => date.format(moment),
    day: (moment) => day.format(moment),
    duration(ms) {
      const rounded = Math.max(1, Math.round(ms / HOUR_MS));
      return rounded < DAY_HOURS ? hours.format(rounded) : days.format(Math.floor(rounded / DAY_HOURS));
    },
  };
}

const ENGLISH_UNITS = PAGE_TEXTS.en.units;

/** A text with values in the places of their names, each in its own direction. */
export function filled(text: string, values: Readonly<Record<string, string>>): Html {
  const parts = text.split(/\{(\w+)\}/);
  return html`${parts.map((part, at) => (at % 2 === 0 ? html`${part}` : html`<bdi>${values[part] ?? ''}</bdi>`))}`;
}

/** The same for attributes, which hold no elements. */
export const filledPlain = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
