/** Intervals of the tasks of workers, in milliseconds. */
export class NodeTiming {
  /** Checks of the node's health. */
  readonly healthMs: number = 10_000;
  /** Collections of traffic. */
  readonly collectMs: number = 5_000;
  /** Comparisons of the users that a node holds with those that it should hold. */
  readonly compareMs: number = 600_000;
  /** Checks of the core's certificate files; a renewed file reaches the node after two checks. */
  readonly certificatesMs: number = 30_000;
  /** Scans for nodes that no replica serves. */
  readonly scanMs: number = 10_000;
  /** Delay after the first failure; each further failure doubles it. */
  readonly firstRetryDelayMs: number = 500;
  readonly maxRetryDelayMs: number = 30_000;
  /** Changes within this time are sent together. */
  readonly gatherChangesMs: number = 50;
}
