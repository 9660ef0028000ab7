/** Something about a host that will not be as its operator may expect. */
export interface HostWarning {
  /** Where in the host; empty: the host as a whole. */
  readonly path: string;
  /** The kind of the warning, for programs. */
  readonly code: HostWarningCode;
  /** The warning in a sentence. */
  readonly message: string;
}

/**
 * `left_out`: no client gets the host. `left_out_for_client`: clients of one kind do not get it. `does_not_work`:
 * clients of one kind get it, and will not connect. `no_effect`: a setting changes nothing.
 */
export type HostWarningCode =
  /** No client gets the host. */
  | 'left_out'
  /** Clients of one kind do not get it. */
  | 'left_out_for_client'
  /** Clients of one kind get it, and will not connect. */
  | 'does_not_work'
  /** It changes nothing. */
  | 'no_effect';
