import type { ManagedInbound } from '../config/managed-inbound.js';
import type { UserPlan } from '../users/user-plan.js';
import { estimateChangesMs, estimateSwapMs } from './cost-model.js';
import type { LiveInbound } from './live-inbounds.js';

/** How the users of an inbound are updated: by individual changes, or by a swap for a new inbound. */
export interface Strategy {
  readonly kind: 'changes' | 'swap';
  readonly estimatedMs: number;
}

/** Guards slow down every later call on their inbound; a swap or a handover removes them. */
const MAX_GUARDS_BEFORE_SWAP = 256;
const MAX_GUARDS_BEFORE_HANDOVER = 10_000;
/** A swap that is only chosen for speed must be faster than individual changes by more than this. */
const MIN_SWAP_GAIN_MS = 500;

/**
 * Chooses the cheapest safe strategy. A swap is only safe where live connections outlive their listener and two
 * listeners can share a port. On shadowsocks-2022 it is chosen as soon as it is cheaper, elsewhere when it takes less
 * than half the time and saves half a second: it changes the source port of UDP flows and clears the replay memory of
 * VMess.
 */
export function chooseStrategy(
  inbound: ManagedInbound,
  live: LiveInbound,
  { removals, additions }: UserPlan,
): Strategy {
  const { protocol } = inbound;
  const wanted = live.users - live.guards - removals.length + additions.length;
  const changes = estimateChangesMs(protocol, Math.max(live.users, wanted), {
    removals: removals.length,
    additions: additions.length,
  });
  const swap = estimateSwapMs(protocol, wanted);
  const needsGuards = protocol === 'shadowsocks-2022';
  const guards = needsGuards ? live.guards + removals.length : 0;
  const isCheaper = needsGuards ? swap < changes : swap < changes / 2 && swap + MIN_SWAP_GAIN_MS < changes;
  const canSwap = inbound.handover === 'shared' && wanted < live.swapLimit;
  if (canSwap && (isCheaper || guards > MAX_GUARDS_BEFORE_SWAP)) return { kind: 'swap', estimatedMs: swap };
  return { kind: 'changes', estimatedMs: guards > MAX_GUARDS_BEFORE_HANDOVER ? Number.POSITIVE_INFINITY : changes };
}
