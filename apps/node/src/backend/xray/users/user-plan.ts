import type { ManagedInbound } from '../config/managed-inbound.js';
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

/** A user on all inbounds. */
interface UserSteps {
  readonly email: string;
  readonly steps: readonly UserStep[];
}

/** Makes a plan user by user: from what they are served as now to what is wanted. What stays the same costs nothing. */
export class UserPlanBuilder {
  private readonly plan: UserPlan = { removals: [], additions: [] };
  private readonly wanted = new Map<string, readonly UserStep[]>();

  constructor(wanted: Iterable<UserSteps>) {
    for (const { email, steps } of wanted) this.wanted.set(email, steps);
  }

  /** For a user who is served now. */
  planUser({ email, steps: now }: UserSteps): void {
    const wanted = this.wanted.get(email) ?? [];
    this.wanted.delete(email);
    this.plan.removals.push(...now.filter((step) => !wanted.some((other) => sameStep(step, other))));
    this.plan.additions.push(...wanted.filter((step) => !now.some((other) => sameStep(step, other))));
  }

  /** With all those who were not served. */
  build(): UserPlan {
    for (const steps of this.wanted.values()) this.plan.additions.push(...steps);
    return this.plan;
  }
}

function sameStep(one: UserStep, other: UserStep): boolean {
  return one.email === other.email && one.inbound.tag === other.inbound.tag && sameAccount(one.account, other.account);
}

function sameAccount(one: Account, other: Account): boolean {
  const fields = Object.entries(one);
  const others = new Map<string, string>(Object.entries(other));
  return fields.every(([name, value]) => others.get(name) === value);
}
