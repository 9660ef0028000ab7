/** A pause that doubles with each failure, up to a maximum, less up to 50 % by chance. */
export function jitteredPauseMs(failures: number, firstMs: number, maxMs: number, random = Math.random()): number {
  return Math.min(maxMs, firstMs * 2 ** failures) * (0.5 + random / 2);
}
