import { type ChosenStatus, holdProblem, settled, withChosenStatus } from '@rampart/domain';
import { invalidFields } from '../errors/management-error.js';
import { momentOf } from '../http/moment.js';
import { withGiven } from './given-proxy-settings.js';
import { storedProxySettings } from './stored-proxy-settings.js';
import type { UserModify } from './user.dto.js';
import type { User } from './user.entity.js';

type StatusColumns = Pick<User, 'status' | 'expire' | 'onHoldExpireDuration' | 'onHoldTimeout'>;

/** What a change of status writes; all else that a status depends on stays. */
export function statusColumns({ status, expire, onHoldExpireDuration, onHoldTimeout }: StatusColumns): StatusColumns {
  return { status, expire, onHoldExpireDuration, onHoldTimeout };
}

/** The columns that a modification can change. */
type ModifiedColumns = StatusColumns &
  Pick<User, 'dataLimit' | 'dataLimitResetStrategy' | 'note' | 'autoDeleteInDays' | 'proxySettings' | 'editAt'>;

/** What becomes of a user: what is absent stays, null clears, and the status is the one that follows. */
export function modifiedColumns(user: User, request: UserModify, now: Date): ModifiedColumns {
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
  return {
    ...statusColumns(chosen === undefined ? settled(asked, now) : withChosenStatus(asked, chosen, now)),
    dataLimit: asked.dataLimit,
    dataLimitResetStrategy: changed(user.dataLimitResetStrategy, request.data_limit_reset_strategy) ?? 'no_reset',
    note: changed(user.note, request.note) || null,
    autoDeleteInDays: daysOrNever(changed(user.autoDeleteInDays, request.auto_delete_in_days)),
    proxySettings: withGiven(storedProxySettings(user.proxySettings), request.proxy_settings ?? {}),
    editAt: now,
  };
}

/** A negative number of days is the older way to say never. */
export const daysOrNever = (days: number | null): number | null => (days === null || days < 0 ? null : days);

/** A hold puts the stored end off; one that comes with it is refused. */
function expireOf(user: User, request: UserModify, chosen: ChosenStatus | undefined): Date | null {
  return moment(chosen === 'on_hold' ? null : user.expire, request.expire);
}

const changed = <T>(stored: T, given: T | undefined): T => (given === undefined ? stored : given);

const moment = (stored: Date | null, given: UserModify['expire']): Date | null =>
  given === undefined ? stored : (momentOf(given) ?? null);
