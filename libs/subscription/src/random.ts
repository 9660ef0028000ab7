/** Gives an integer from 0 to `max` - 1. */
export type Random = (max: number) => number;
