const GIBIBYTE = 2 ** 30;
const DAY_SECONDS = 86_400;

/** Fields count in units that people use; an empty field is 0 of the API: unlimited, or without an end. */
export type Amount = number | '';

const rounded = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;

export const gibibytesOf = (bytes: number): Amount => (bytes > 0 ? rounded(bytes / GIBIBYTE, 3) : '');
export const bytesOf = (gibibytes: Amount): number => Math.round(Number(gibibytes) * GIBIBYTE);
export const daysOf = (seconds: number | null): Amount => (seconds ? rounded(seconds / DAY_SECONDS, 2) : '');
export const secondsOf = (days: Amount): number => Math.round(Number(days) * DAY_SECONDS);
