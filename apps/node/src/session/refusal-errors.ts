import type { RefusedUser } from '@rampart/node-client';
import { NodeError } from '../errors/node-error.js';

const MAX_NAMED = 20;

/** `n users refused: "a" (reason), "b" (reason), …`, with the first 20 by name. */
export function refusalText(refused: readonly RefusedUser[]): string {
  const named = refused.slice(0, MAX_NAMED).map(({ email, reason }) => `${JSON.stringify(email)} (${reason})`);
  const more = refused.length > MAX_NAMED ? `, and ${refused.length - MAX_NAMED} more` : '';
  return `${count(refused.length)} refused: ${named.join(', ')}${more}`;
}

export function usersRefused(refused: readonly RefusedUser[]): NodeError {
  return new NodeError('USERS_REFUSED', refusalText(refused));
}

/** A user whose message was overtaken by a later change. */
export interface StaleUser {
  readonly email: string;
  readonly revision: bigint;
  readonly last: bigint;
}

export function staleUsers(stale: readonly StaleUser[]): NodeError {
  const named = stale.slice(0, MAX_NAMED).map(({ email, revision, last }) => {
    return `${JSON.stringify(email)} (revision ${revision} is older than ${last})`;
  });
  const more = stale.length > MAX_NAMED ? `, and ${stale.length - MAX_NAMED} more` : '';
  return new NodeError('STALE_REVISION', `${count(stale.length)} not changed: ${named.join(', ')}${more}`);
}

export function staleSet(revision: bigint, last: bigint): NodeError {
  return new NodeError('STALE_REVISION', `revision ${revision} is older than ${last}, the last one applied`);
}

function count(users: number): string {
  return users === 1 ? '1 user' : `${users} users`;
}
