import { forEachYielding } from '../../../concurrency/for-each-yielding.js';
import type { Endpoint } from '../config/endpoints.js';
import type { EnginePlan } from '../config/plan/engine-plan.js';
import type { DesiredState } from '../engine/desired-state.js';
import type { InboundMember, UserDirectory } from '../users/user-directory.js';
import type { UserStep } from '../users/user-plan.js';

/** Tags that must be removed before an inbound can be added: its own, and those on its ports and paths. */
export function blockingTags(from: EnginePlan, to: EnginePlan, tag: string): Set<string> {
  const wanted = to.endpoints.filter((endpoint) => endpoint.tag === tag);
  const others = from.endpoints.filter((endpoint) => wanted.some((other) => endpointsCollide(endpoint, other)));
  return new Set([...(from.handovers.has(tag) ? [tag] : []), ...others.map((endpoint) => endpoint.tag)]);
}

export function endpointsCollide(one: Endpoint, other: Endpoint): boolean {
  if (one.kind === 'path' || other.kind === 'path') {
    return one.kind === 'path' && other.kind === 'path' && one.path === other.path;
  }
  return one.transport === other.transport && one.first <= other.last && other.first <= one.last;
}

/** Users of the old streaming inbounds who are removed or changed. */
export async function findLeavingUsers(from: DesiredState, to: DesiredState): Promise<UserStep[]> {
  const leaving: UserStep[] = [];
  for (const tag of from.plan.streamingTags) {
    const staying = await serializedAccounts(to.directory, tag);
    const gone: InboundMember[] = [];
    await forEachYielding(from.directory.members(tag), (member) => {
      if (staying.get(member.email) !== JSON.stringify(member.account)) gone.push(member);
    });
    for (const step of memberSteps(from.plan, tag, gone)) leaving.push(step);
  }
  return leaving;
}

export function memberSteps({ inbounds }: EnginePlan, tag: string, members: readonly InboundMember[]): UserStep[] {
  const inbound = inbounds.get(tag);
  return inbound === undefined ? [] : members.map((member) => ({ ...member, inbound }));
}

async function serializedAccounts(directory: UserDirectory, tag: string): Promise<Map<string, string>> {
  const accounts = new Map<string, string>();
  await forEachYielding(directory.members(tag), ({ email, account }) => accounts.set(email, JSON.stringify(account)));
  return accounts;
}
