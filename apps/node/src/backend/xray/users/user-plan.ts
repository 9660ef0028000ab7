import type { ManagedInbound } from '../config/managed-inbound.js';
import type { Account } from './account.js';

/** A user to add to or remove from one inbound. */
export interface UserStep {
  readonly email: string;
  readonly inbound: ManagedInbound;
  readonly account: Account;
}

/** Changes to make in the engine. All removals come first, because the engine reorders concurrent calls. */
export interface UserPlan {
  readonly removals: UserStep[];
  readonly additions: UserStep[];
}

/** A user with all inbounds. */
interface UserSteps {
  readonly email: string;
  readonly steps: readonly UserStep[];
}

/** Builds a plan user by user, from the current inbounds to the wanted ones. Unchanged steps are left out. */
export class UserPlanBuilder {
  private readonly plan: UserPlan = { removals: [], additions: [] };
  private readonly wanted = new Map<string, readonly UserStep[]>();

  constructor(wanted: Iterable<UserSteps>) {
    for (const { email, steps } of wanted) this.wanted.set(email, steps);
  }

  /** Plans a user who is served now. */
  planUser({ email, steps: now }: UserSteps): void {
    const wanted = this.wanted.get(email) ?? [];
    this.wanted.delete(email);
    this.plan.removals.push(...now.filter((step) => !wanted.some((other) => sameStep(step, other))));
    this.plan.additions.push(...wanted.filter((step) => !now.some((other) => sameStep(step, other))));
  }

  /** Adds all users who were not served before. */
  build(): UserPlan {
    for (const steps of this.wanted.values()) this.plan.additions.push(...steps);
    return this.plan;
  }
}

function sameStep(one: UserStep, other: UserStep): boolean {
  return one.email === other.email && one.inbound.tag === other.inbound.tag && sameAccount(one.account, other.account);
}

export function sameAccount(one: Account, other: Account): boolean {
  const fields = Object.entries(one);
  const others = new Map<string, string>(Object.entries(other));
  return fields.every(([name, value]) => others.get(name) === value);
}
