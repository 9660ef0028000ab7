import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { EnginePlan } from '../config/plan/engine-plan.js';
import { type ApiChannel, renderConfig } from '../config/plan/render-config.js';
import { API_INBOUND_PREFIX, API_TAG_PREFIX } from '../names/reserved.js';
import { newGuardUser } from '../users/shadowsocks-guard.js';

/** The configuration without users, except for the guard user without whom a shadowsocks-2022 inbound takes none. */
export function skeletonConfig(plan: EnginePlan, channel: ApiChannel): string {
  return renderConfig(plan, channel, (inbound) => {
    if (inbound.protocol !== 'shadowsocks-2022') return [];
    const { email, account } = newGuardUser(inbound);
    return [{ email, password: account.key }];
  });
}

/** An API channel with random names, so that no rule or request of a user can reach the API. */
export function newApiChannel(runDir: string): ApiChannel {
  return {
    tag: `${API_TAG_PREFIX}${randomBytes(16).toString('hex')}`,
    inboundTag: `${API_INBOUND_PREFIX}${randomBytes(16).toString('hex')}`,
    socketPath: join(runDir, 'api.sock'),
  };
}
