import { nextReset } from '@rampart/domain';
import type { User } from '../entities/user.entity.js';

export type ResetTerms = Pick<User, 'dataLimit' | 'dataLimitResetStrategy'>;

/** When traffic counts from zero again under other terms. A reset that is due stays due while there is one. */
export function nextResetAt(user: User, terms: ResetTerms, now: Date): Date | null {
  const goesOn = terms.dataLimit > 0 && terms.dataLimitResetStrategy === user.dataLimitResetStrategy;
  return (goesOn && user.nextResetAt) || nextReset({ ...terms, createdAt: user.createdAt }, now);
}
