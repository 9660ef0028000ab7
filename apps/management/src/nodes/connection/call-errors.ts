import { NodeClientError, type NodeClientErrorCode } from '@rampart/node-client';

const hasCode =
  (...codes: NodeClientErrorCode[]) =>
  (error: unknown): boolean =>
    error instanceof NodeClientError && codes.includes(error.code);

/** The node knows a later revision: from another replica, or from before the database was restored from a backup. */
export const isStaleRevisionError = hasCode('STALE_REVISION');

/** Only single users were refused: all others are applied, and the same users would be refused again. */
export const isUsersRefusedError = hasCode('USERS_REFUSED');

/** The node has restarted or has other users: a Start resolves this. */
export const needsStart = hasCode('STALE_REVISION', 'BACKEND_NOT_INITIALIZED', 'BACKEND_NOT_RUNNING');

/** Nobody or another machine answers, whose name may resolve to another address now; or the client was closed during the call. */
export const isUnreachableError = hasCode('UNREACHABLE', 'TLS_UNTRUSTED', 'CANCELLED');

/** There was no answer in time. */
export const isTimeoutError = hasCode('TIMEOUT');

/** The node does not know the call, such as another implementation asked for a call of Rampart. */
export const isUnknownCallError = hasCode('NOT_FOUND', 'METHOD_NOT_ALLOWED');

/** The engine of the node does not answer, because it has more to do than it can; the node ends one that stands still. */
export const isEngineSilent = hasCode('ENGINE_NOT_ANSWERING');

/** The node answers and its engine runs: only this call fails. */
export const isErrorAnswer = hasCode('INTERNAL', 'PROTOCOL', 'NOT_FOUND', 'TOO_LARGE', 'INVALID_ARGUMENT');
