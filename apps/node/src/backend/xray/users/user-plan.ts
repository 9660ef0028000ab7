import type { ManagedInbound } from '../config/inbounds.js';
import type { Account } from './account.js';

/** One step on one inbound. */
export interface UserStep {
  readonly email: string;
  readonly inbound: ManagedInbound;
  readonly account: Account;
}

/** What has to be done in the engine. All removals come first: the engine reorders what is sent together. */
export interface UserPlan {
  readonly removals: UserStep[];
  readonly additions: UserStep[];
}

/** From what a user is served as now to what is wanted. What stays the same costs nothing. */
export function planUser(plan: UserPlan, now: readonly UserStep[], wanted: readonly UserStep[]): void {
  plan.removals.push(...now.filter((step) => !wanted.some((other) => sameStep(step, other))));
  plan.additions.push(...wanted.filter((step) => !now.some((other) => sameStep(step, other))));
}

function sameStep(one: UserStep, other: UserStep): boolean {
  return one.email === other.email && one.inbound.tag === other.inbound.tag && sameAccount(one.account, other.account);
}

function sameAccount(one: Account, other: Account): boolean {
  const fields = Object.entries(one);
  const others = new Map<string, string>(Object.entries(other));
  return fields.every(([name, value]) => others.get(name) === value);
}
