import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

const LATEST = 253_402_300_799; // the end of the year 9999
const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?))?(Z|[+-]\d\d:?\d\d)?$/i;

/** A moment of a request: unix seconds or ISO 8601, without a zone in UTC. 0 and null: none. */
export type Moment = number | string | null;

export const IsMoment = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isMoment', validator: { validate: (value) => momentOf(value) !== undefined } },
    { message: 'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z' },
  );

/** In a query, which has nothing but text. */
export const QueriedMoment = (): PropertyDecorator =>
  Transform(({ value }) => (/^\d+$/.test(String(value)) ? Number(value) : value));

/** null for none, undefined for what is no moment. */
export function momentOf(value: unknown): Date | null | undefined {
  if (value === null || value === 0) return null;
  if (typeof value === 'number') {
    return Number.isInteger(value) && value > 0 && value <= LATEST ? new Date(value * 1000) : undefined;
  }
  const [, day, time = '00:00', zone = 'Z'] = ISO.exec(String(value)) ?? [];
  const date = new Date(`${day}T${time}${zone}`);
  return Number.isNaN(date.getTime()) || !isCalendarDay(day) ? undefined : date;
}

/** `Date` takes February 31 for March 3. */
const isCalendarDay = (day = ''): boolean => new Date(`${day}T00:00Z`).toISOString().startsWith(day);
