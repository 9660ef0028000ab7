/**
 * The largest signed integer of 32 bits: the limit of PostgreSQL's type `integer`, and so of ids and of most integers in
 * requests, and the longest timer of Node.js in milliseconds.
 */
export const MAX_INT32 = 2 ** 31 - 1;
