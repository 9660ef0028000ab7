import { type ChosenStatus, holdProblem, settleUserState, withChosenStatus } from '@rampart/domain';
import { invalidFields } from '../../errors/management-error.js';
import { nextPlanOf } from '../../user-store/entities/next-plan.dto.js';
import type { StoredUser, User } from '../../user-store/entities/user.entity.js';
import { nextResetAt, type ResetTerms } from '../../user-store/life-cycle/next-reset-at.js';
import { momentOf } from '../../validation/moment.js';
import type { UserModify } from '../view/user.dto.js';

type StatusColumns = Pick<User, 'status' | 'expire' | 'onHoldExpireDuration' | 'onHoldTimeout'>;

/** The columns that a change of status writes. */
export function statusColumns({ status, expire, onHoldExpireDuration, onHoldTimeout }: StatusColumns): StatusColumns {
  return { status, expire, onHoldExpireDuration, onHoldTimeout };
}

/** The columns that a modification can change. */
type ModifiedColumns = StatusColumns &
  ResetTerms &
  Pick<User, 'note' | 'autoDeleteInDays' | 'nextPlan' | 'nextResetAt' | 'editAt'>;

/**
 * The columns after a modification: absent members stay, null clears, and the status is computed from the new terms.
 */
export function modifiedColumns(user: StoredUser, request: UserModify, now: Date): ModifiedColumns {
  const chosen = request.status ?? undefined;
  const asked = {
    status: user.status,
    usedTraffic: user.usedTraffic,
    expire: expireOf(user, request, chosen),
    dataLimit: changed(user.dataLimit, request.data_limit) ?? 0,
    onHoldExpireDuration: changed(user.onHoldExpireDuration, request.on_hold_expire_duration) || null,
    onHoldTimeout: moment(user.onHoldTimeout, request.on_hold_timeout),
  };
  const problem = holdProblem({ ...asked, status: chosen ?? user.status });
  if (problem) throw invalidFields({ status: problem });
  const terms: ResetTerms = {
    dataLimit: asked.dataLimit,
    dataLimitResetStrategy: changed(user.dataLimitResetStrategy, request.data_limit_reset_strategy) ?? 'no_reset',
  };
  return {
    ...statusColumns(chosen === undefined ? settleUserState(asked, now) : withChosenStatus(asked, chosen, now)),
    ...terms,
    nextResetAt: nextResetAt(user, terms, now),
    note: changed(user.note, request.note) || null,
    autoDeleteInDays: ownDays(changed(user.autoDeleteInDays, request.auto_delete_in_days)),
    nextPlan: request.next_plan ? nextPlanOf(request.next_plan) : changed(user.nextPlan, request.next_plan),
    editAt: now,
  };
}

/** Maps a negative number of days, which older clients send for null, to null. */
export const ownDays = (days: number | null): number | null => (days === null || days < 0 ? null : days);

/** The end after a modification. Putting a user on hold removes the stored end; an end in the same request is refused. */
function expireOf(user: StoredUser, request: UserModify, chosen: ChosenStatus | undefined): Date | null {
  return moment(chosen === 'on_hold' ? null : user.expire, request.expire);
}

const changed = <T>(stored: T, given: T | undefined): T => (given === undefined ? stored : given);

const moment = (stored: Date | null, given: UserModify['expire']): Date | null =>
  given === undefined ? stored : (momentOf(given) ?? null);
