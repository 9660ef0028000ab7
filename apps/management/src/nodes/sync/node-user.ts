import { nodeTag } from '@rampart/core-config';
import type { User } from '@rampart/node-client';
import type { ServedUser } from '../../user-store/served/served-users.js';

/** A user as nodes take it. Without tags it is a removal; an inbound offered behind a fallback goes by its own tag. */
export function nodeUser({ email, proxySettings, inboundTags, revision }: ServedUser): User {
  return {
    email,
    proxies: proxySettings ? { ...proxySettings, wireguard: undefined, hysteria: undefined } : undefined,
    inbounds: [...new Set(inboundTags.map(nodeTag))],
    revision,
  };
}
