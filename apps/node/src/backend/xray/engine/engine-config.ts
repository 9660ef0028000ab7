import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { EnginePlan } from '../config/engine-plan.js';
import type { ManagedInbound } from '../config/inbounds.js';
import { type Json, objectsAt, textAt } from '../config/json-tree.js';
import { type ApiChannel, renderConfig } from '../config/render-config.js';
import { API_INBOUND_PREFIX, API_TAG_PREFIX } from '../reserved.js';
import { clientJson } from '../users/client-json.js';
import { newGuard } from '../users/guards.js';
import type { Member } from '../users/user-directory.js';
import type { Target } from './target.js';

/** What an engine is started with, piece by piece. */
export function engineConfig(
  { plan, directory }: Target,
  channel: ApiChannel,
  leaveOut: ReadonlySet<string>,
): Iterable<string> {
  return renderConfig(without(plan, leaveOut), channel, (inbound) =>
    clientsOf(inbound, directory.members(inbound.tag)),
  );
}

/** The configuration as it would run without any user, for the engine's own check. */
export function skeletonConfig(plan: EnginePlan): string {
  return [...renderConfig(plan, newChannel('/'), (inbound) => clientsOf(inbound, []))].join('');
}

/** Names that nobody can guess: a user's rule or request never reaches the API. */
export function newChannel(runDir: string): ApiChannel {
  return {
    tag: `${API_TAG_PREFIX}${randomBytes(16).toString('hex')}`,
    inboundTag: `${API_INBOUND_PREFIX}${randomBytes(16).toString('hex')}`,
    socketPath: join(runDir, 'api.sock'),
  };
}

function* clientsOf(inbound: ManagedInbound, members: Iterable<Member>): Generator<Json, void> {
  if (inbound.protocol === 'shadowsocks-2022') {
    const guard = newGuard(inbound);
    yield clientJson(guard.email, guard.account);
  }
  for (const { email, account } of members) yield clientJson(email, account);
}

function without(plan: EnginePlan, tags: ReadonlySet<string>): EnginePlan {
  const inbounds = objectsAt(plan.tree, 'inbounds', 'inbounds').filter((inbound) => !tags.has(textAt(inbound, 'tag')));
  return { ...plan, tree: { ...plan.tree, inbounds } };
}
