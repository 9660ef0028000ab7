/**
 * How long a busy engine may leave a call unanswered: 1,500 packets of strangers that come within a second, and for which it
 * tries 4,000 users each, keep two processors busy for half of that. Its traffic is unread, and removals wait meanwhile.
 */
export const MAX_BUSY_MS = 60_000;
