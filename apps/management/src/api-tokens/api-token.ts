import { createHash, randomBytes } from 'node:crypto';

/**
 * The prefix by which scanners for leaked secrets recognise an API token, and management tells it from a login token.
 */
const PREFIX = 'rampart_';
const RANDOM_BYTES = 32;

/** A new token, `rampart_` and 43 characters of base64url. */
export const newApiToken = (): string => `${PREFIX}${randomBytes(RANDOM_BYTES).toString('base64url')}`;

export const isApiToken = (text: string): boolean => text.startsWith(PREFIX);

/** The hash under which a token is stored and looked up. The token is random, so no slow hash is needed. */
export const hashOfApiToken = (token: string): Buffer => createHash('sha256').update(token).digest();
