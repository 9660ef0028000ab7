import type { ValueTransformer } from 'typeorm';

/** The value of a `bigint` column as a number. @throws RangeError for values that a number cannot hold exactly */
export function exactNumber(given: string | number): number {
  const value = Number(given);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${given} is beyond the integers that a number holds exactly`);
  return value;
}

export const numberColumn: ValueTransformer = {
  from: (text: string | null) => (text === null ? null : exactNumber(text)),
  to: (value: unknown) => value,
};

export const bigintColumn: ValueTransformer = {
  from: (text: string | null) => (text === null ? null : BigInt(text)),
  to: (value: unknown) => (typeof value === 'bigint' ? value.toString() : value),
};
