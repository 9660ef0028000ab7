/**
 * Pauses between writes of fetches, in milliseconds. Few fetches are written nearly at once, so that other replicas show
 * them; many are written together, so that their writes take little of the database.
 */
export class UpdateTiming {
  readonly minPauseMs: number = 100;
  /** Part of the pause for each fetch that was written. */
  readonly pausePerFetchMs: number = 10;
  readonly maxPauseMs: number = 3_000;
}
