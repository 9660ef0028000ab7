/** Why a node cannot be served, in a message that is shown to admins. */
export class NodeProblem extends Error {
  override readonly name = 'NodeProblem';
}
