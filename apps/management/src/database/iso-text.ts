/** SQL: a moment as answers show it, such as `2026-01-31T12:00:00.500Z`. Of long lists, a Date of each would take a fifth of the time. */
export const isoText = (moment: string): string =>
  `to_char(${moment} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
