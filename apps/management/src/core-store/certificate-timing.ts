/** Intervals of the watch of certificate files, in milliseconds. */
export class CertificateTiming {
  /** Interval between checks; a renewed file counts after two checks. */
  readonly checkMs: number = 30_000;
}
