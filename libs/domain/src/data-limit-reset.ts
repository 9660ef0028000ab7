export const DATA_LIMIT_RESET_STRATEGIES = ['no_reset', 'day', 'week', 'month', 'year'] as const;

/** How often a user's traffic counter returns to zero, counted from the user's creation. */
export type DataLimitResetStrategy = (typeof DATA_LIMIT_RESET_STRATEGIES)[number];
