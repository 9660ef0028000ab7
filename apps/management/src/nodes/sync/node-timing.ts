/** How often what is done for nodes, in milliseconds. */
export class NodeTiming {
  readonly healthMs: number = 10_000;
  readonly collectMs: number = 5_000;
  /** Compares the users that a node holds with those that it should. */
  readonly compareMs: number = 600_000;
  /** Looks whether the certificate files of the core were renewed, which reach the node at the second look. */
  readonly certificatesMs: number = 30_000;
  /** Looks for nodes that no replica serves. */
  readonly scanMs: number = 10_000;
  /** After a failure; doubled by each further one. */
  readonly firstRetryDelayMs: number = 500;
  readonly maxRetryDelayMs: number = 30_000;
  /** Changes in quick succession are sent together. */
  readonly gatherChangesMs: number = 50;
}
