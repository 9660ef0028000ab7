/** Why a node cannot be served, in words that admins may read in its message. */
export class NodeProblem extends Error {
  override readonly name = 'NodeProblem';
}
