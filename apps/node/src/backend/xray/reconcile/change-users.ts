import type { RefusedUser } from '@rampart/node-client';
import { type EngineApi, EngineRefusal } from '../api/engine-api.js';
import { newGuardUser } from '../users/shadowsocks-guard.js';
import type { UserPlan, UserStep } from '../users/user-plan.js';
import type { LiveInbounds } from './live-inbounds.js';

export type UserCalls = Pick<EngineApi, 'addUser' | 'removeUser'>;

/** Maximum number of concurrent calls; more are not faster. */
const MAX_CONCURRENT_CALLS = 16;

/**
 * Applies a plan user by user: all removals first, then all additions. Returns the users that the engine unexpectedly
 * refuses; what they already had stays. After an error (EngineNotAnswering, or EngineRefusal of a removal) it is
 * unknown which users the engine has.
 */
export async function applyUserPlan(api: UserCalls, inbounds: LiveInbounds, plan: UserPlan): Promise<RefusedUser[]> {
  await removeAll(api, inbounds, plan.removals);
  const refusals = await addAll(api, inbounds, plan.additions);
  const known = [...refusals].flatMap(([step, reason]) => (reason.includes('already exists') ? [step] : []));
  // A user whom the engine has already is removed and added again. These removals come last: a guard protects a removal
  // only as long as no user is added after it.
  await removeAll(api, inbounds, known);
  for (const step of known) refusals.delete(step);
  for (const [step, reason] of await addAll(api, inbounds, known)) refusals.set(step, reason);
  const refused = new Map([...refusals].map(([{ email }, reason]) => [email, { email, reason }]));
  return [...refused.values()];
}

/** Removals that need a guard run one after another, all others concurrently. */
async function removeAll(api: UserCalls, inbounds: LiveInbounds, steps: readonly UserStep[]): Promise<void> {
  const guarded = new Map<string, UserStep[]>();
  const free: UserStep[][] = [];
  for (const step of steps) {
    const { tag, protocol } = step.inbound;
    const chain = guarded.get(tag);
    if (protocol !== 'shadowsocks-2022') free.push([step]);
    else if (chain !== undefined) chain.push(step);
    else guarded.set(tag, [step]);
  }
  await runConcurrently([...guarded.values(), ...free], async (chain) => {
    for (const step of chain) await removeGuarded(api, inbounds, step);
  });
}

async function removeGuarded(api: UserCalls, inbounds: LiveInbounds, { inbound, email }: UserStep): Promise<void> {
  const tag = inbounds.tagOf(inbound.tag);
  if (inbound.protocol === 'shadowsocks-2022') {
    const guard = newGuardUser(inbound);
    await api.addUser(tag, guard.email, guard.account);
    inbounds.adjustCount(inbound.tag, 0, 1);
  }
  const refusal = await catchRefusal(api.removeUser(tag, email));
  if (refusal === undefined) inbounds.adjustCount(inbound.tag, -1);
  // A refusal with "not found" is no error: an absent user needs no removal.
  else if (!refusal.message.includes('not found')) throw refusal;
}

/** Returns the refused steps with the engine's messages. */
async function addAll(
  api: UserCalls,
  inbounds: LiveInbounds,
  steps: readonly UserStep[],
): Promise<Map<UserStep, string>> {
  const refusals = new Map<UserStep, string>();
  await runConcurrently(steps, async (step) => {
    const { inbound, email, account } = step;
    const refusal = await catchRefusal(api.addUser(inbounds.tagOf(inbound.tag), email, account));
    if (refusal === undefined) inbounds.adjustCount(inbound.tag, 1);
    else refusals.set(step, refusal.message);
  });
  return refusals;
}

async function catchRefusal(call: Promise<void>): Promise<EngineRefusal | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof EngineRefusal) return error;
    throw error;
  }
}

async function runConcurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  const results = await Promise.allSettled(
    Array.from({ length: Math.min(MAX_CONCURRENT_CALLS, items.length) }, worker),
  );
  // All calls have ended by now: none of this plan continues after its error.
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
