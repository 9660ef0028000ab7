/** The statuses of users (contract: "User"). */
export const USER_STATUSES = ['active', 'expired', 'limited', 'disabled', 'on_hold'] as const;

/** The status of a user. */
export type UserStatus = (typeof USER_STATUSES)[number];

const SYMBOLS: Readonly<Record<UserStatus, string>> = {
  active: '✅',
  expired: '⌛️',
  limited: '🪫',
  disabled: '❌',
  on_hold: '🔌',
};

/** The symbol of a status, the value of the format variable `{STATUS_EMOJI}`. */
export function statusSymbol(status: UserStatus): string {
  return SYMBOLS[status];
}
