import { NodeClientError, type NodeClientErrorCode } from '@rampart/node-client';

const is =
  (...codes: NodeClientErrorCode[]) =>
  (error: unknown): boolean =>
    error instanceof NodeClientError && codes.includes(error.code);

/** The node has heard of later changes than ours: from another replica, or before the database was restored. */
export const isStaleRevisionError = is('STALE_REVISION');

/** It concerns single users: all others are applied, and these would be refused again. */
export const isUsersRefusedError = is('USERS_REFUSED');

/** A node that has restarted is no failure: it only has to be started. */
export const needsStart = is('STALE_REVISION', 'BACKEND_NOT_INITIALIZED', 'BACKEND_NOT_RUNNING');

/** There is nobody, or somebody else: its name may lead to another address by now. */
export const isUnreachableError = is('UNREACHABLE', 'TLS_UNTRUSTED');

/** A node of other make, which answers what is Rampart's own like any unknown call. */
export const isUnknownCallError = is('NOT_FOUND', 'METHOD_NOT_ALLOWED');

/** The node is there, and has an engine: only this call fails. */
export const isErrorAnswer = is(
  'INTERNAL',
  'PROTOCOL',
  'NOT_FOUND',
  'TOO_LARGE',
  'INVALID_ARGUMENT',
  'ENGINE_NOT_ANSWERING',
);
