/** What one replica knows of a node that it serves, beside the node's row. */
export interface NodeFigures {
  readonly nodeId: number;
  /** Seconds since the node last had every change of users. */
  readonly behindSeconds: number;
  /** Users whom the node refused, by its last answer. */
  readonly refusedUsers: number;
  /** Seconds for which the node gets no full set of users. */
  readonly fullSetPauseSeconds: number;
}
