const FIRST_MS = 200;
const LONGEST_MS = 30_000;

/** How long to wait before the next try after so many failures in a row: none, then doubling, up to 30 s, spread by chance. */
export function backoffMs(failures: number, random: number): number {
  if (failures === 0) return 0;
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1)) * (0.5 + random / 2);
}
