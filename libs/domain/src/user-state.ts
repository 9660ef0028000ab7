import type { UserStatus } from './user-status.js';

/** The statuses that an admin may choose; `expired` and `limited` follow from the terms of the user alone. */
export const CHOSEN_STATUSES = ['active', 'disabled', 'on_hold'] as const;

/** A status that an admin may choose. */
export type ChosenStatus = (typeof CHOSEN_STATUSES)[number];

/** The status of a user, and the fields that it depends on. */
export interface UserState {
  status: UserStatus;
  /** The end of the subscription; null = never. */
  expire: Date | null;
  /** Bytes; 0 = unlimited. */
  dataLimit: number;
  /** Bytes since the last reset. */
  usedTraffic: number;
  /** Duration of the subscription in seconds, which begins when the hold ends; null = no hold. */
  onHoldExpireDuration: number | null;
  /** When the hold ends without any traffic; null = never. */
  onHoldTimeout: Date | null;
}

/** The fields that decide whether a user can be on hold. */
export type HoldTerms = Pick<UserState, 'status' | 'expire' | 'onHoldExpireDuration'>;

/**
 * Checks that a user on hold has a duration and no end (contract: "User life cycle").
 *
 * @returns what is wrong, in a sentence for the caller of the API; undefined when nothing is.
 */
export function holdProblem({ status, expire, onHoldExpireDuration }: HoldTerms): string | undefined {
  if (status !== 'on_hold') return undefined;
  if (!onHoldExpireDuration) return 'User cannot be on hold without a valid on_hold_expire_duration';
  return expire === null ? undefined : 'User cannot be on hold with specified expire';
}

/**
 * The state of a user at a time, with every transition that is due. A disabled user stays disabled. A hold lasts until its
 * timeout (the first traffic also ends it, which is handled where traffic is recorded). Any other user is expired, limited
 * or active, checked in this order.
 */
export function settleUserState<State extends UserState>(state: State, now: Date): State {
  switch (state.status) {
    case 'disabled':
      return state;
    case 'on_hold':
      return state.onHoldTimeout !== null && state.onHoldTimeout <= now
        ? settleUserState(withoutHold(state, now), now)
        : state;
    default:
      return { ...state, status: statusByTerms(state, now) };
  }
}

/**
 * The state of a user for whom an admin chooses a status. `active` ends a hold, whose duration then begins now unless the
 * user already has an end; a user who was disabled while on hold is on hold again. A user without time or traffic left
 * becomes expired or limited instead of active. The caller checks `on_hold` with `holdProblem` before.
 */
export function withChosenStatus<State extends UserState>(state: State, chosen: ChosenStatus, now: Date): State {
  if (chosen !== 'active') return settleUserState({ ...state, status: chosen }, now);
  const held = state.status === 'disabled' && holdProblem({ ...state, status: 'on_hold' }) === undefined;
  if (held) return settleUserState({ ...state, status: 'on_hold' }, now);
  const ending = state.status === 'on_hold' ? state : { ...state, onHoldExpireDuration: null };
  return settleUserState(withoutHold(ending, now), now);
}

/** Ends a hold: its duration begins now. */
function withoutHold<State extends UserState>(state: State, now: Date): State {
  const { expire, onHoldExpireDuration: seconds } = state;
  const ends = expire ?? (seconds === null ? null : new Date(now.getTime() + seconds * 1000));
  return { ...state, status: 'active', expire: ends, onHoldExpireDuration: null, onHoldTimeout: null };
}

function statusByTerms({ expire, dataLimit, usedTraffic }: UserState, now: Date): UserStatus {
  if (expire !== null && expire <= now) return 'expired';
  return dataLimit > 0 && usedTraffic >= dataLimit ? 'limited' : 'active';
}
