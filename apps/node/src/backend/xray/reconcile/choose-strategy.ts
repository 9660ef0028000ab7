import type { ManagedInbound } from '../config/inbounds.js';
import type { UserPlan } from '../users/user-plan.js';
import { changesMs, swapMs } from './cost-model.js';
import type { LiveInbound } from './live-inbounds.js';

/** How an inbound comes to its users. */
export interface Way {
  readonly kind: 'changes' | 'swap';
  readonly ms: number;
}

/** Guards make every later call on their inbound dearer; a swap does away with them, or else a handover. */
const GUARDS_BEFORE_SWAP = 256;
const GUARDS_BEFORE_HANDOVER = 10_000;
/** Live changes touch nothing else: only for much more than this are they given up where a swap is not needed. */
const WORTH_A_SWAP_MS = 500;

/**
 * The cheapest safe way. A swap is only safe where live connections outlive their listener and two listeners can share a
 * port. It is taken on shadowsocks-2022 as soon as it is cheaper, elsewhere when it is cheaper by half and half a second:
 * it costs UDP flows their source port and VMess its memory of replays.
 */
export function wayOf(inbound: ManagedInbound, live: LiveInbound, { removals, additions }: UserPlan): Way {
  const { protocol } = inbound;
  const wanted = live.users - live.guards - removals.length + additions.length;
  const changes = changesMs(protocol, Math.max(live.users, wanted), {
    removals: removals.length,
    additions: additions.length,
  });
  const swap = swapMs(protocol, wanted);
  const needsGuards = protocol === 'shadowsocks-2022';
  const guards = needsGuards ? live.guards + removals.length : 0;
  const isCheaper = needsGuards ? swap < changes : swap < changes / 2 && swap + WORTH_A_SWAP_MS < changes;
  const canSwap = inbound.handover === 'shared' && wanted < live.tooMany;
  if (canSwap && (isCheaper || guards > GUARDS_BEFORE_SWAP)) return { kind: 'swap', ms: swap };
  return { kind: 'changes', ms: guards > GUARDS_BEFORE_HANDOVER ? Number.POSITIVE_INFINITY : changes };
}
