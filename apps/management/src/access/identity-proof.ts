import { ManagementError } from '../errors/management-error.js';
import type { IdentityProof } from './access-level.js';
import { type Actor, isByApiToken } from './actor.js';
import { isFresh } from './fresh-login.js';

/** @throws ManagementError for whoever may not change who may act. The control socket may: its file permissions are the login. */
export function checkIdentityProof(actor: Actor, proof: IdentityProof): void {
  if (actor.id === null) return;
  if (isByApiToken(actor)) {
    if (!actor.grants?.includes('identity')) throw new ManagementError('API_TOKEN_IDENTITY');
  } else if (proof === 'fresh login' && !isFresh(actor)) {
    throw new ManagementError('STEP_UP_REQUIRED');
  }
}
