import type { RefusedUser } from '@rampart/node-client';
import { type EngineApi, EngineRefusal } from '../api/engine-api.js';
import type { Guards } from './guards.js';
import type { UserPlan, UserStep } from './user-plan.js';

/** Calls under way at a time; more gain nothing. */
const WINDOW = 16;

/**
 * Carries out a plan: all removals, awaited, then all additions. Answers the users whom the engine refuses against our
 * expectation; what they already had stays. On an error nobody knows which users
 * the engine has: EngineSilence, or EngineRefusal of a removal.
 */
export async function applyPlan(api: EngineApi, guards: Guards, plan: UserPlan): Promise<RefusedUser[]> {
  await removeAll(api, guards, plan.removals);
  const refused = new Map<string, RefusedUser>();
  await inWindow(plan.additions, async (step) => {
    const reason = await add(api, guards, step);
    if (reason !== undefined) refused.set(step.email, { email: step.email, reason });
  });
  return [...refused.values()];
}

/** One after another where each removal needs its guard, all others side by side. */
async function removeAll(api: EngineApi, guards: Guards, steps: readonly UserStep[]): Promise<void> {
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

async function remove(api: EngineApi, guards: Guards, { inbound, email }: UserStep): Promise<void> {
  if (inbound.protocol === 'shadowsocks-2022') {
    const guard = guards.next(inbound);
    await api.addUser(inbound.tag, guard.email, guard.account);
  }
  const refusal = await refusalOf(api.removeUser(inbound.tag, email));
  // Absent is what was asked for.
  if (refusal !== undefined && !refusal.message.includes('not found')) throw refusal;
}

/** The engine's words when it refuses. */
async function add(api: EngineApi, guards: Guards, step: UserStep): Promise<string | undefined> {
  const attempt = () => refusalOf(api.addUser(step.inbound.tag, step.email, step.account));
  const refusal = await attempt();
  if (!refusal?.message.includes('already exists')) return refusal?.message;
  await remove(api, guards, step);
  return (await attempt())?.message;
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
