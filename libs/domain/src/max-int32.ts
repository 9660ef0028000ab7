/** The largest value of PostgreSQL's `integer`, of the ids in it, and of a whole number that a request may carry. */
export const MAX_INT32 = 2 ** 31 - 1;
