/** A warning that something about a host will not work as its operator may expect. */
export interface HostWarning {
  /** The path of the setting in the host; empty for the host as a whole. */
  readonly path: string;
  /** The kind of the warning, for programs. */
  readonly code: HostWarningCode;
  /** The warning in a sentence. */
  readonly message: string;
}

/** The kind of a warning about a host. */
export type HostWarningCode =
  /** No client gets the host. */
  | 'left_out'
  /** Clients of one kind do not get the host. */
  | 'left_out_for_client'
  /** Clients of one kind get the host, but cannot connect. */
  | 'does_not_work'
  /** A setting has no effect. */
  | 'no_effect'
  /** Clients that tried the host did not get through. */
  | 'fails_probes';
