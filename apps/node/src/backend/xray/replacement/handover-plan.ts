import { forEachYielding } from '../../../concurrency/for-each-yielding.js';
import type { Endpoint } from '../config/endpoints.js';
import type { EnginePlan } from '../config/engine-plan.js';
import type { Handover } from '../config/handover.js';
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from '../config/json-tree.js';
import type { DesiredState } from '../engine/desired-state.js';
import type { InboundMember, UserDirectory } from '../users/user-directory.js';
import type { UserStep } from '../users/user-plan.js';

export function tagsWithHandover(plan: EnginePlan, handover: Handover): string[] {
  return [...plan.handovers].filter(([, kind]) => kind === handover).map(([tag]) => tag);
}

/** Why one configuration cannot follow another one without a restart, if it cannot. */
export function restartReason(from: EnginePlan, to: EnginePlan): string | undefined {
  if (from.handovers.has('')) return 'an inbound without a tag cannot be handed over';
  const [before] = tagsWithHandover(from, 'restart');
  const [after] = tagsWithHandover(to, 'restart');
  if (before !== undefined && after !== undefined) {
    return `inbound "${before === after ? before : `${before}" and "${after}`}" cannot be handed over while it serves`;
  }
  if (listensForMetrics(from) && listensForMetrics(to)) return 'metrics.listen cannot be handed over';
  return undefined;
}

/** The engine opens that port alone, and no call makes it let go. */
function listensForMetrics({ tree }: EnginePlan): boolean {
  return textAt(objectAt(tree, 'metrics', 'metrics'), 'listen') !== '';
}

/** What has to let go before an inbound can be put up: it itself, and whatever else is on its ports and paths. */
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

/**
 * Inbounds whose clients spread the requests of one session over several connections: xhttp over HTTP/1.1, and over what
 * a proxy in front makes of it. While two processes hold some of them each, the halves of a session do not meet.
 */
export function spreadingTags(plan: EnginePlan): Set<string> {
  const spreading = xhttpInbounds(plan).filter((inbound) => {
    const stream = objectAt(inbound, 'streamSettings', 'streamSettings');
    const security = textAt(stream, 'security').toLowerCase();
    if (security !== 'tls') return security === '' || security === 'none';
    const alpn = textsAt(objectAt(stream, 'tlsSettings', 'tlsSettings'), 'alpn').map((name) => name.toLowerCase());
    return alpn.includes('http/1.1') && !alpn.includes('h2');
  });
  return new Set(spreading.map((inbound) => textAt(inbound, 'tag')));
}

/**
 * Inbounds on which a live connection can open new streams with the users that it came to: HTTP/2 connections of xhttp
 * outlive their listener.
 */
export function streamingTags(plan: EnginePlan): Set<string> {
  return new Set(xhttpInbounds(plan).map((inbound) => textAt(inbound, 'tag')));
}

function xhttpInbounds(plan: EnginePlan): JsonObject[] {
  return objectsAt(plan.tree, 'inbounds', 'inbounds').filter((inbound) =>
    ['xhttp', 'splithttp'].includes(
      textAt(objectAt(inbound, 'streamSettings', 'streamSettings'), 'network').toLowerCase(),
    ),
  );
}

/** Users of the old streaming inbounds who are not there any more, or not as they were. */
export async function findLeavingUsers(from: DesiredState, to: DesiredState): Promise<UserStep[]> {
  const leaving: UserStep[] = [];
  for (const tag of streamingTags(from.plan)) {
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
