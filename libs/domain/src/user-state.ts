import type { UserStatus } from './user-status.js';

/** What an admin may ask for; `expired` and `limited` follow from the user's terms alone. */
export const CHOSEN_STATUSES = ['active', 'disabled', 'on_hold'] as const;

export type ChosenStatus = (typeof CHOSEN_STATUSES)[number];

/** The status of a user with all that it depends on. */
export interface UserState {
  status: UserStatus;
  /** null: never. */
  expire: Date | null;
  /** Bytes; 0: unlimited. */
  dataLimit: number;
  /** Bytes since the last reset. */
  usedTraffic: number;
  /** Seconds that count from the end of the hold. */
  onHoldExpireDuration: number | null;
  /** When the hold ends without any traffic; null: never. */
  onHoldTimeout: Date | null;
}

/** The terms of a hold, wherever they come from. */
export type HoldTerms = Pick<UserState, 'status' | 'expire' | 'onHoldExpireDuration'>;

/** Checks that a hold has a duration ahead of it, and no end yet. Returns what is wrong, or nothing. */
export function holdProblem({ status, expire, onHoldExpireDuration }: HoldTerms): string | undefined {
  if (status !== 'on_hold') return undefined;
  if (!onHoldExpireDuration) return 'User cannot be on hold without a valid on_hold_expire_duration';
  return expire === null ? undefined : 'User cannot be on hold with specified expire';
}

/**
 * The state in which a user is at a moment. A disabled user stays disabled, and a hold lasts until its timeout (traffic
 * ends it where traffic is known); everybody else is expired, limited or active as the terms say, in this order.
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
 * The state in which a user is when an admin asks for a status. `active` ends a hold, whose duration then counts from now
 * unless there is an end already; a hold that was disabled goes on. Whoever is asked to be active and has no time or no
 * traffic left is expired or limited. `on_hold` must pass `holdProblem`.
 */
export function withChosenStatus<State extends UserState>(state: State, chosen: ChosenStatus, now: Date): State {
  if (chosen !== 'active') return settleUserState({ ...state, status: chosen }, now);
  const held = state.status === 'disabled' && holdProblem({ ...state, status: 'on_hold' }) === undefined;
  if (held) return settleUserState({ ...state, status: 'on_hold' }, now);
  const ending = state.status === 'on_hold' ? state : { ...state, onHoldExpireDuration: null };
  return settleUserState(withoutHold(ending, now), now);
}

/** The hold is over: its duration counts from now. */
function withoutHold<State extends UserState>(state: State, now: Date): State {
  const { expire, onHoldExpireDuration: seconds } = state;
  const ends = expire ?? (seconds === null ? null : new Date(now.getTime() + seconds * 1000));
  return { ...state, status: 'active', expire: ends, onHoldExpireDuration: null, onHoldTimeout: null };
}

function statusByTerms({ expire, dataLimit, usedTraffic }: UserState, now: Date): UserStatus {
  if (expire !== null && expire <= now) return 'expired';
  return dataLimit > 0 && usedTraffic >= dataLimit ? 'limited' : 'active';
}
