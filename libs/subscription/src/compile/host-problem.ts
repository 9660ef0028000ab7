/** Why a host cannot appear in any subscription. */
export class HostProblem extends Error {
  override readonly name = 'HostProblem';
}
