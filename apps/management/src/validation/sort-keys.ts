import { Rule } from './rule.js';

/**
 * A pattern for `name`, `-name`, and several of them separated by commas. It accepts an empty text, which clients send
 * for none.
 */
export const sortPattern = (names: Iterable<string>): RegExp => {
  const key = `-?(?:${[...names].join('|')})`;
  return new RegExp(`^(?:${key}(?:,${key})*)?$`);
};

export const isSortBy =
  (pattern: RegExp) =>
  (sort: unknown): boolean =>
    typeof sort === 'string' && pattern.test(sort);

/** @param pattern a result of `sortPattern` */
export const IsSort = (pattern: RegExp): PropertyDecorator =>
  Rule(
    'isSort',
    { pattern: pattern.source },
    { validate: isSortBy(pattern) },
    { message: ({ value }) => `"${String(value)}" is not a valid sort option` },
  );
