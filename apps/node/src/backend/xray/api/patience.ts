/**
 * How long a busy engine may leave a call unanswered. A burst of packets that somebody sends in a second, and for each of
 * which the engine tries thousands of users, keeps it busy for half of that; and its traffic is unread meanwhile.
 */
export const MAX_BUSY_MS = 60_000;
