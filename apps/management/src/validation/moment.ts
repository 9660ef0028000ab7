import { Transform } from 'class-transformer';
import { Rule } from './rule.js';

const MAX_UNIX_SECONDS = 253_402_300_799; // the end of the year 9999
const DAY =
  '\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|[12]\\d))';
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d{1,6})?)?|24:00(?::00(?:\\.0{1,6})?)?';
const ZONE = '[Zz]|[+-](?:[01]\\d|2[0-3]):?[0-5]\\d';
/** A pattern for ISO 8601 that accepts February 29 in every year. */
export const MOMENT = new RegExp(`^(${DAY})(?:[Tt ](${TIME}))?(${ZONE})?$`);

/** A point in time in a request: unix seconds, or ISO 8601, which is UTC without a zone. 0 and null mean none. */
export type Moment = number | string | null;

export const IsMoment = (): PropertyDecorator =>
  Rule(
    'isMoment',
    { type: ['integer', 'string', 'null'], minimum: 0, maximum: MAX_UNIX_SECONDS, pattern: MOMENT.source },
    { validate: (value) => momentOf(value) !== undefined },
    { message: 'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z' },
  );

/** Reads a point in time from a query, where unix seconds are text. */
export const QueriedMoment = (): PropertyDecorator =>
  Transform(({ value }) => (/^\d+$/.test(String(value)) ? Number(value) : value));

/** Parses a point in time: null for none, undefined for invalid values. */
export function momentOf(value: unknown): Date | null | undefined {
  if (value === null || value === 0) return null;
  if (typeof value === 'number') {
    return Number.isInteger(value) && value > 0 && value <= MAX_UNIX_SECONDS ? new Date(value * 1000) : undefined;
  }
  const [, day, time = '00:00', zone = 'Z'] = MOMENT.exec(String(value)) ?? [];
  const date = new Date(`${day}T${time}${zone}`);
  return Number.isNaN(date.getTime()) || !isCalendarDay(day) ? undefined : date;
}

/** Whether the day exists; `Date` would take February 31 for March 3. */
const isCalendarDay = (day = ''): boolean => new Date(`${day}T00:00Z`).toISOString().startsWith(day);
