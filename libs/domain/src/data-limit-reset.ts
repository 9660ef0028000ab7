/** The values of `data_limit_reset_strategy` (contract: "User"). */
export const DATA_LIMIT_RESET_STRATEGIES = ['no_reset', 'day', 'week', 'month', 'year'] as const;

/** How often a user's traffic counter is reset to zero, counted from the user's creation. */
export type DataLimitResetStrategy = (typeof DATA_LIMIT_RESET_STRATEGIES)[number];

const DAY = 86_400;

/** Seconds between two resets; null = never. A month has 30 days and a year has 365, whatever the calendar says. */
export const RESET_PERIOD_SECONDS: Readonly<Record<DataLimitResetStrategy, number | null>> = {
  no_reset: null,
  day: DAY,
  week: 7 * DAY,
  month: 30 * DAY,
  year: 365 * DAY,
};

/** The fields of a user that decide when the traffic counter is reset. */
export interface ResetTerms {
  createdAt: Date;
  /** Bytes; 0 = unlimited, and the counter is never reset. */
  dataLimit: number;
  dataLimitResetStrategy: DataLimitResetStrategy;
}

/** The time of the first reset after `now`, however many resets were missed before it; null = there is none. */
export function nextReset({ createdAt, dataLimit, dataLimitResetStrategy }: ResetTerms, now: Date): Date | null {
  const seconds = RESET_PERIOD_SECONDS[dataLimitResetStrategy];
  if (seconds === null || dataLimit === 0) return null;
  const period = seconds * 1000;
  const passed = Math.floor((now.getTime() - createdAt.getTime()) / period);
  return new Date(createdAt.getTime() + (passed + 1) * period);
}
