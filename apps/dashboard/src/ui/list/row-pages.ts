/** So many rows of a long list are asked for at a time. */
export const PAGE_ROWS = 100;

/** The page of a list that contains a row. */
export const pageOf = (row: number): number => Math.floor(Math.max(row, 0) / PAGE_ROWS);
