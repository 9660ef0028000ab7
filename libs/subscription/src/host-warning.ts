/** Something about a host that will not be as its operator may expect. */
export interface HostWarning {
  /** Where in the host; empty: the host as a whole. */
  readonly path: string;
  readonly code: HostWarningCode;
  readonly message: string;
}

export type HostWarningCode =
  /** No client gets the host. */
  | 'left_out'
  /** Clients of one kind do not get it. */
  | 'left_out_for_client'
  /** Clients of one kind get it, and will not connect. */
  | 'does_not_work'
  /** It changes nothing. */
  | 'no_effect';
