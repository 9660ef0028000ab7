import type { RefusedUser } from '@rampart/node-client';
import { type EngineApi, EngineRefusal } from '../api/engine-api.js';
import type { Guards } from './guards.js';
import type { UserPlan, UserStep } from './user-plan.js';

export type UserCalls = Pick<EngineApi, 'addUser' | 'removeUser'>;

/** Calls under way at a time; more gain nothing. */
const WINDOW = 16;

/**
 * Carries out a plan: all removals, awaited, then all additions. Answers the users whom the engine refuses against our
 * expectation; what they already had stays. On an error nobody knows which users
 * the engine has: EngineSilence, or EngineRefusal of a removal.
 */
export async function applyPlan(api: UserCalls, guards: Guards, plan: UserPlan): Promise<RefusedUser[]> {
  await removeAll(api, guards, plan.removals);
  const refusals = await addAll(api, plan.additions);
  const known = [...refusals].flatMap(([step, reason]) => (reason.includes('already exists') ? [step] : []));
  // Only now: a guard protects a removal as long as nobody is added behind it.
  await removeAll(api, guards, known);
  for (const step of known) refusals.delete(step);
  for (const [step, reason] of await addAll(api, known)) refusals.set(step, reason);
  const refused = new Map([...refusals].map(([{ email }, reason]) => [email, { email, reason }]));
  return [...refused.values()];
}

/** One after another where each removal needs its guard, all others side by side. */
async function removeAll(api: UserCalls, guards: Guards, steps: readonly UserStep[]): Promise<void> {
  const guarded = new Map<string, UserStep[]>();
  const free: UserStep[][] = [];
  for (const step of steps) {
    const { tag, protocol } = step.inbound;
    const chain = guarded.get(tag);
    if (protocol !== 'shadowsocks-2022') free.push([step]);
    else if (chain !== undefined) chain.push(step);
    else guarded.set(tag, [step]);
  }
  await inWindow([...guarded.values(), ...free], async (chain) => {
    for (const step of chain) await remove(api, guards, step);
  });
}

async function remove(api: UserCalls, guards: Guards, { inbound, email }: UserStep): Promise<void> {
  if (inbound.protocol === 'shadowsocks-2022') {
    const guard = guards.next(inbound);
    await api.addUser(inbound.tag, guard.email, guard.account);
  }
  const refusal = await refusalOf(api.removeUser(inbound.tag, email));
  // Absent is what was asked for.
  if (refusal !== undefined && !refusal.message.includes('not found')) throw refusal;
}

/** The steps that the engine refuses, in its words. */
async function addAll(api: UserCalls, steps: readonly UserStep[]): Promise<Map<UserStep, string>> {
  const refusals = new Map<UserStep, string>();
  await inWindow(steps, async (step) => {
    const refusal = await refusalOf(api.addUser(step.inbound.tag, step.email, step.account));
    if (refusal !== undefined) refusals.set(step, refusal.message);
  });
  return refusals;
}

async function refusalOf(call: Promise<void>): Promise<EngineRefusal | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof EngineRefusal) return error;
    throw error;
  }
}

async function inWindow<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(WINDOW, items.length) }, worker));
  // Every call has ended by now: nothing of this plan goes on behind its error.
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
