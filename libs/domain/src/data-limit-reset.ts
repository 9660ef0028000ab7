export const DATA_LIMIT_RESET_STRATEGIES = ['no_reset', 'day', 'week', 'month', 'year'] as const;

/** How often a user's traffic counter returns to zero, counted from the user's creation. */
export type DataLimitResetStrategy = (typeof DATA_LIMIT_RESET_STRATEGIES)[number];

const DAY = 86_400;

/** Seconds from one reset to the next; null: never. Months and years are spans of days, whatever the calendar says. */
export const RESET_PERIOD_SECONDS: Readonly<Record<DataLimitResetStrategy, number | null>> = {
  no_reset: null,
  day: DAY,
  week: 7 * DAY,
  month: 30 * DAY,
  year: 365 * DAY,
};

/** What decides when a counter returns to zero. */
export interface ResetTerms {
  createdAt: Date;
  /** Bytes; without a limit nothing is reset. */
  dataLimit: number;
  dataLimitResetStrategy: DataLimitResetStrategy;
}

/** The first reset after a moment, however many were missed before it; null: none. */
export function nextReset({ createdAt, dataLimit, dataLimitResetStrategy }: ResetTerms, now: Date): Date | null {
  const seconds = RESET_PERIOD_SECONDS[dataLimitResetStrategy];
  if (seconds === null || dataLimit === 0) return null;
  const period = seconds * 1000;
  const passed = Math.floor((now.getTime() - createdAt.getTime()) / period);
  return new Date(createdAt.getTime() + (passed + 1) * period);
}
