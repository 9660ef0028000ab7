import { nextReset } from '@rampart/domain';
import type { StoredUser, User } from '../entities/user.entity.js';

export type ResetTerms = Pick<User, 'dataLimit' | 'dataLimitResetStrategy'>;

/** The next reset of the traffic counter under changed terms. A planned reset stays when the terms still plan one. */
export function nextResetAt(user: StoredUser, terms: ResetTerms, now: Date): Date | null {
  const goesOn = terms.dataLimit > 0 && terms.dataLimitResetStrategy === user.dataLimitResetStrategy;
  return (goesOn && user.nextResetAt) || nextReset({ ...terms, createdAt: user.createdAt }, now);
}
