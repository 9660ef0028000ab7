/** Intervals of the tasks of workers, in milliseconds. */
export class NodeTiming {
  /** Interval between checks of the node's health. */
  readonly healthMs: number = 10_000;
  /** Minimum interval between collections of traffic. */
  readonly collectMs: number = 1_000;
  /** Interval between comparisons of the users that a node holds with those that it should hold. */
  readonly compareMs: number = 600_000;
  /** Interval between checks of the core's certificate files; a renewed file reaches the node after two checks. */
  readonly certificatesMs: number = 30_000;
  /** Interval between attempts to renew the certificate of a node. */
  readonly renewalRetryMs: number = 3_600_000;
  /** Interval between scans for nodes that no replica serves. */
  readonly scanMs: number = 3_000;
  /** Delay after the first failure; each further failure doubles it. */
  readonly firstRetryDelayMs: number = 500;
  readonly maxRetryDelayMs: number = 10_000;
  /** Interval of reads of changes that nobody has announced. */
  readonly rereadMs: number = 10_000;
  /** Timeout of a Start and of a batch of users, which take as long as the engine needs. */
  readonly longCallMs: number = 120_000;
  /** Pause before the next full set for a node that has needed too many; each further one doubles it. */
  readonly firstSetPauseMs: number = 5_000;
  readonly maxSetPauseMs: number = 300_000;
  /** Time after which one of the full sets that a node has needed is forgotten. */
  readonly setForgottenMs: number = 600_000;
}
