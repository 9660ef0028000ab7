/** A reason why a host is left out of every subscription; the message is for the operator. */
export class HostProblem extends Error {
  override readonly name = 'HostProblem';
}
