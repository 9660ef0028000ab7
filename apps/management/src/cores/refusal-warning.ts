import type { CoreConfigError, RefusedInbound } from '@rampart/core-config';

/**
 * A stored core, or an inbound of one, that would be refused today: a certificate file is gone, or a rule is new. Neither
 * nodes nor clients get it.
 */
export interface RefusalWarning {
  /** The part of the configuration that the warning is about, such as `inbounds[0]`. */
  readonly path: string;
  /** The kind of the warning, for programs. */
  readonly code: 'core_refused';
  /** The warning in a sentence. */
  readonly message: string;
}

export const refusalWarning = ({ path, message }: CoreConfigError | RefusedInbound): RefusalWarning => ({
  path,
  code: 'core_refused',
  message,
});
