import type { CoreConfigError } from '@rampart/core-config';

/** A stored core that would be refused today: a certificate file is gone, or a rule is new. Neither nodes nor clients get it. */
export interface RefusalWarning {
  readonly path: string;
  readonly code: 'core_refused';
  readonly message: string;
}

export const refusalWarning = ({ path, message }: CoreConfigError): RefusalWarning => ({
  path,
  code: 'core_refused',
  message,
});
