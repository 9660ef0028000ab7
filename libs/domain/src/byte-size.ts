const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const;

/** Formats a number of bytes for people: base 1024, at most two decimals (`10 GB`, `1.5 MB`, `0 B`). */
export function formatByteSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // The rounded value decides on the unit: 1023.999 KB would otherwise read "1024 KB".
  while (rounded(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${twoDecimals(value)} ${UNITS[unit]}`;
}

/** Formats a number with at most two decimals and no trailing zero. */
export function twoDecimals(value: number): string {
  return String(rounded(value));
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
