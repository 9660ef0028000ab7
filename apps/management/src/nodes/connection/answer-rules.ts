import { isIP } from 'node:net';

/** The largest number that a bigint column holds. */
export const MAX_INT64 = 2n ** 63n - 1n;
/** The last second of the year 9999, behind which dates have no form that everybody reads. */
const MAX_UNIX_SECONDS = 253_402_300_799n;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Control characters, which move the cursor of a terminal or begin a line; characters that change the direction of others or have
 * no width; and halves of characters. Persian needs the joiners U+200C and U+200D.
 */
const UNSEEN = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
/** The same without line breaks and tabs. */
const UNSEEN_IN_LINES = /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** The first half of a character whose second half was cut off. */
const HALF_CHARACTER = /[\ud800-\udbff]$/;

/** A text on one line, cut to a number of characters. Characters that one does not see are shown by their numbers. */
export const lineText = (text: string, maxLength: number): string => visible(text, maxLength, UNSEEN);

/** A text of several lines, cut to a number of characters. */
export const linesText = (text: string, maxLength: number): string =>
  // Half of the characters that are kept may be removed.
  visible(text.slice(0, 2 * maxLength + 2).replaceAll('\r\n', '\n'), maxLength, UNSEEN_IN_LINES);

function visible(text: string, maxLength: number, unseen: RegExp): string {
  // One character more, so that what is cut is known.
  const shown = text.slice(0, maxLength + 1).replaceAll(unseen, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
  });
  return shown.length > maxLength ? `${shown.slice(0, maxLength).replace(HALF_CHARACTER, '')}…` : shown;
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** A count that is a whole number, not negative and exact as a number. */
export const wholeNumber = (value: bigint): bigint => (value < 0n ? 0n : value > MAX_SAFE ? MAX_SAFE : value);

/** A number from 0 to a maximum; 0 for what is no number. */
export const numberUpTo = (value: number, maximum: number): number =>
  Number.isNaN(value) ? 0 : Math.min(Math.max(value, 0), maximum);

/** A moment in unix seconds, not after the year 9999. */
export const unixSeconds = (value: bigint): bigint =>
  value < 0n ? 0n : value > MAX_UNIX_SECONDS ? MAX_UNIX_SECONDS : value;

/** The addresses among the names of a table, at most so many. */
export function addressTable(table: Readonly<Record<string, bigint>>, maximum: number): Record<string, bigint> {
  const known = Object.entries(table).filter(([address]) => isIP(address) !== 0);
  return Object.fromEntries(known.slice(0, maximum).map(([address, seen]) => [address, unixSeconds(seen)]));
}
