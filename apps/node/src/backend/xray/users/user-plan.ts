import type { BackendUser } from '../../backend.js';
import type { Account } from './account.js';
import type { Membership, UserDirectory } from './user-directory.js';

/** One step on one inbound. */
export interface UserStep extends Membership {
  readonly email: string;
}

/** What has to be done in the engine. All removals come first: the engine reorders what is sent together. */
export interface UserPlan {
  readonly removals: UserStep[];
  readonly additions: UserStep[];
}

/** From one version of a user to the next; nothing = absent. What stays the same costs nothing. */
export function planUser(plan: UserPlan, directory: UserDirectory, before?: BackendUser, after?: BackendUser): void {
  if (before !== undefined && after !== undefined && sameUser(before, after)) return;
  const now = stepsOf(directory, before);
  const wanted = stepsOf(directory, after);
  plan.removals.push(...now.filter((step) => !wanted.some((other) => sameStep(step, other))));
  plan.additions.push(...wanted.filter((step) => !now.some((other) => sameStep(step, other))));
}

/** From one set of users to another one on the same inbounds. */
export function planUsers(before: UserDirectory, after: UserDirectory): UserPlan {
  const plan: UserPlan = { removals: [], additions: [] };
  for (const user of before.all()) planUser(plan, after, user, after.get(user.email));
  for (const user of after.all()) {
    if (before.get(user.email) === undefined) planUser(plan, after, undefined, user);
  }
  return plan;
}

/** Quick and on the safe side: what it does not see as equal is compared account by account. */
function sameUser(one: BackendUser, other: BackendUser): boolean {
  return (
    one.email === other.email &&
    one.inbounds.length === other.inbounds.length &&
    one.inbounds.every((tag, index) => tag === other.inbounds[index]) &&
    one.credentials.vless?.id === other.credentials.vless?.id &&
    one.credentials.vless?.flow === other.credentials.vless?.flow &&
    one.credentials.vmess?.id === other.credentials.vmess?.id &&
    one.credentials.trojan?.password === other.credentials.trojan?.password &&
    one.credentials.shadowsocks?.password === other.credentials.shadowsocks?.password &&
    one.credentials.shadowsocks?.method === other.credentials.shadowsocks?.method &&
    one.credentials.hysteria?.auth === other.credentials.hysteria?.auth
  );
}

function stepsOf(directory: UserDirectory, user: BackendUser | undefined): UserStep[] {
  if (user === undefined) return [];
  return directory.memberships(user).map((membership) => ({ ...membership, email: user.email }));
}

function sameStep(one: UserStep, other: UserStep): boolean {
  return one.email === other.email && one.inbound.tag === other.inbound.tag && sameAccount(one.account, other.account);
}

function sameAccount(one: Account, other: Account): boolean {
  const fields = Object.entries(one);
  const others = new Map<string, string>(Object.entries(other));
  return fields.every(([name, value]) => others.get(name) === value);
}
