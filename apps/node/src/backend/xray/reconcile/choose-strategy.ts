import type { ManagedInbound } from '../config/managed-inbound.js';
import type { UserPlan } from '../users/user-plan.js';
import { estimateChangesMs, estimateSwapMs } from './cost-model.js';
import type { LiveInbound } from './live-inbounds.js';

/** How an inbound comes to its users. */
export interface Strategy {
  readonly kind: 'changes' | 'swap';
  readonly estimatedMs: number;
}

/** Guards make every later call on their inbound dearer; a swap does away with them, or else a handover. */
const MAX_GUARDS_BEFORE_SWAP = 256;
const MAX_GUARDS_BEFORE_HANDOVER = 10_000;
/** Live changes touch nothing else: only for much more than this are they given up where a swap is not needed. */
const MIN_SWAP_GAIN_MS = 500;

/**
 * The cheapest safe way. A swap is only safe where live connections outlive their listener and two listeners can share a
 * port. It is taken on shadowsocks-2022 as soon as it is cheaper, elsewhere when it is cheaper by half and half a second:
 * it costs UDP flows their source port and VMess its memory of replays.
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
