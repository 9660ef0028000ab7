import { Rule } from './rule.js';

/** `name`, `-name`, and several of them joined with commas; clients send an empty text for none. */
export const sortPattern = (names: Iterable<string>): RegExp => {
  const key = `-?(?:${[...names].join('|')})`;
  return new RegExp(`^(?:${key}(?:,${key})*)?$`);
};

export const isSortBy =
  (pattern: RegExp) =>
  (sort: unknown): boolean =>
    typeof sort === 'string' && pattern.test(sort);

/** @param pattern of `sortPattern` */
export const IsSort = (pattern: RegExp): PropertyDecorator =>
  Rule(
    'isSort',
    { pattern: pattern.source },
    { validate: isSortBy(pattern) },
    { message: ({ value }) => `"${String(value)}" is not a valid sort option` },
  );
