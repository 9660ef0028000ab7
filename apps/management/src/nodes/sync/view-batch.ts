import { nodeTag } from '@rampart/core-config';
import { EncodedUsers, type User } from '@rampart/node-client';
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

/** Batches as they were encoded: the workers of many nodes send the same ones. */
const ENCODED = new WeakMap<readonly ServedUser[], EncodedUsers>();

/** The users of a batch as nodes take them, encoded once for each list. */
export function encodedBatch(users: readonly ServedUser[]): EncodedUsers {
  const known = ENCODED.get(users);
  if (known) return known;
  const encoded = EncodedUsers.forChanges();
  for (const user of users) encoded.add(nodeUser(user));
  ENCODED.set(users, encoded);
  return encoded;
}
