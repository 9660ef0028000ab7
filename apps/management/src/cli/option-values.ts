import { InvalidArgumentError } from '@rampart/program';

const UNITS: Readonly<Record<string, number>> = { '': 1, B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40 };

/** Parses the value of an option. @throws InvalidArgumentError, which is wrong usage */
export function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be an integer above 0.');
  return Number(text);
}

/** Parses a number of bytes such as `10GB`, whose units are powers of 1024. @throws InvalidArgumentError */
function byteSize(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([KMGT]?B|)$/i.exec(text) ?? [];
  const bytes = Math.round(Number(digits) * (UNITS[unit.toUpperCase()] ?? Number.NaN));
  if (digits === '' || !Number.isSafeInteger(bytes))
    throw new InvalidArgumentError('It must be a size such as 500MB, 10GB or 1.5TB.');
  return bytes;
}

/** Parses the traffic that a user may use: a size, or `unlimited`, which the API calls 0. @throws InvalidArgumentError */
export const trafficLimit = (text: string): number => (text === 'unlimited' ? 0 : byteSize(text));

/** Parses the end of a user: a moment, which the API reads, or `never`, which it calls 0. */
export const end = (text: string): string | 0 => (text === 'never' ? 0 : text);
