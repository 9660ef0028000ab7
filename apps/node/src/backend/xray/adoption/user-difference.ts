import { forEachYielding } from '../../../concurrency/for-each-yielding.js';
import type { ManagedInbound } from '../config/managed-inbound.js';
import { decodeListedUsers } from '../messages/listed-users.js';
import { GUARD_PREFIX } from '../names/reserved.js';
import type { Account } from '../users/account.js';
import type { InboundMember } from '../users/user-directory.js';
import { sameAccount, type UserPlan } from '../users/user-plan.js';

export interface InboundDifference extends UserPlan {
  /** Number of users in the engine, including guards. */
  readonly users: number;
  readonly guards: number;
}

/**
 * The changes that bring an inbound of a running engine from the users that the engine lists to the wanted ones.
 * @param listed the engine's answer to GetInboundUsers
 */
export async function differenceOf(
  inbound: ManagedInbound,
  listed: Uint8Array,
  wanted: Iterable<InboundMember>,
): Promise<InboundDifference> {
  const present = new Map<string, Account>();
  let users = 0;
  let guards = 0;
  await forEachYielding(decodeListedUsers(listed, inbound), ({ email, account }) => {
    users += 1;
    if (email.startsWith(GUARD_PREFIX)) guards += 1;
    else present.set(email, account);
  });
  const difference: InboundDifference = { users, guards, removals: [], additions: [] };
  await forEachYielding(wanted, ({ email, account }) => {
    const now = present.get(email);
    present.delete(email);
    if (now !== undefined && sameAccount(now, account)) return;
    if (now !== undefined) difference.removals.push({ email, inbound, account: now });
    difference.additions.push({ email, inbound, account });
  });
  for (const [email, account] of present) difference.removals.push({ email, inbound, account });
  return difference;
}
