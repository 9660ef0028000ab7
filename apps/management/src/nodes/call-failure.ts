import { NodeClientError, type NodeClientErrorCode } from '@rampart/node-client';

const is =
  (...codes: NodeClientErrorCode[]) =>
  (error: unknown): boolean =>
    error instanceof NodeClientError && codes.includes(error.code);

/** The node has heard of later changes than ours: from another replica, or before the database was restored. */
export const isStale = is('STALE_REVISION');

/** It concerns single users: all others are applied, and these would be refused again. */
export const isRefusal = is('USERS_REFUSED');

/** A node that has restarted is no failure: it only has to be started. */
export const mustStart = is('STALE_REVISION', 'BACKEND_NOT_INITIALIZED', 'BACKEND_NOT_RUNNING');

/** There is nobody, or somebody else: its name may lead to another address by now. */
export const isElsewhere = is('UNREACHABLE', 'TLS_UNTRUSTED');
