import { momentOf } from '../validation/moment.js';

/** History is kept by hours, so `minute` is accepted and answered with hours. */
export const PERIODS = ['minute', 'hour', 'day', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** Hours that begin in [start, end), summed up by periods in a time zone. */
export interface UsageRange {
  period: Period;
  start: Date;
  end: Date;
  /** The offset of the time zone in minutes, positive east of Greenwich. */
  offset: number;
}

interface RangeQuery {
  period?: Period;
  start?: number | string | null;
  end?: number | string | null;
}

const DEFAULT_DAYS = 30;
const MINUTE_MS = 60_000;
/** The first and the last moment that RFC 3339 can write. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59Z');

/** The range of a query, by default the last 30 days. The time zone is the one in which `start` is written. */
export function usageRange({ period = 'hour', start, end }: RangeQuery, now: Date): UsageRange {
  const until = momentOf(end ?? null) ?? now;
  return {
    period,
    start: momentOf(start ?? null) ?? new Date(until.getTime() - DEFAULT_DAYS * 1440 * MINUTE_MS),
    end: until,
    offset: offsetOf(String(start)),
  };
}

function offsetOf(moment: string): number {
  const [, sign, hours, minutes] = /([+-])(\d\d):?(\d\d)$/.exec(moment) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}

/** ISO 8601 with an offset, such as `2026-11-21T00:00:00+03:30`. Moments beyond the years 0000 to 9999 become their bound. */
export function inZone(moment: Date, offset: number): string {
  const localMs = Math.min(Math.max(moment.getTime() + offset * MINUTE_MS, FIRST_MS), LAST_MS);
  const local = new Date(localMs).toISOString().slice(0, 19);
  if (offset === 0) return `${local}Z`;
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${local}${offset < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(minutes)}`;
}

const twoDigits = (value: number): string => `${value}`.padStart(2, '0');
