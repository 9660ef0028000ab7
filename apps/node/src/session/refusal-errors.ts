import type { RefusedUser } from '@rampart/node-client';
import { NodeError } from '../errors/node-error.js';

const MAX_NAMED_USERS = 20;

/** `n users refused: "a" (reason), "b" (reason), …`, with the names of the first 20. */
export function describeRefusals(refused: readonly RefusedUser[]): string {
  const named = refused.slice(0, MAX_NAMED_USERS).map(({ email, reason }) => `${JSON.stringify(email)} (${reason})`);
  const more = refused.length > MAX_NAMED_USERS ? `, and ${refused.length - MAX_NAMED_USERS} more` : '';
  return `${describeCount(refused.length)} refused: ${named.join(', ')}${more}`;
}

export function usersRefusedError(refused: readonly RefusedUser[]): NodeError {
  return new NodeError('USERS_REFUSED', describeRefusals(refused));
}

/** A user whose message is older than the last applied change. */
export interface StaleUser {
  readonly email: string;
  readonly revision: bigint;
  readonly lastRevision: bigint;
}

export function staleUsersError(stale: readonly StaleUser[]): NodeError {
  const named = stale.slice(0, MAX_NAMED_USERS).map(({ email, revision, lastRevision }) => {
    return `${JSON.stringify(email)} (revision ${revision} is older than ${lastRevision})`;
  });
  const more = stale.length > MAX_NAMED_USERS ? `, and ${stale.length - MAX_NAMED_USERS} more` : '';
  return new NodeError('STALE_REVISION', `${describeCount(stale.length)} not changed: ${named.join(', ')}${more}`);
}

export function staleSetError(revision: bigint, last: bigint): NodeError {
  return new NodeError('STALE_REVISION', `revision ${revision} is older than ${last}, the last one applied`);
}

function describeCount(users: number): string {
  return users === 1 ? '1 user' : `${users} users`;
}
