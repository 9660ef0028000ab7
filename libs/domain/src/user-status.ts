export const USER_STATUSES = ['active', 'expired', 'limited', 'disabled', 'on_hold'] as const;

export type UserStatus = (typeof USER_STATUSES)[number];

const SYMBOLS: Readonly<Record<UserStatus, string>> = {
  active: '✅',
  expired: '⌛️',
  limited: '🪫',
  disabled: '❌',
  on_hold: '🔌',
};

/** The symbol that stands for a status in the format variable `{STATUS_EMOJI}`. */
export function statusSymbol(status: UserStatus): string {
  return SYMBOLS[status];
}
