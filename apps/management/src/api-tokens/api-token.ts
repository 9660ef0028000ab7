import { createHash, randomBytes } from 'node:crypto';

/** By which scanners for leaked secrets know it, and we tell it from the token of a login. */
const PREFIX = 'rampart_';
const RANDOM_BYTES = 32;

/** A new token, `rampart_` and 43 characters of base64url. */
export const newApiToken = (): string => `${PREFIX}${randomBytes(RANDOM_BYTES).toString('base64url')}`;

export const isApiToken = (text: string): boolean => text.startsWith(PREFIX);

/** What is stored of a token, and what it is looked up by. It is random, so that no slow hash is needed. */
export const hashOfApiToken = (token: string): Buffer => createHash('sha256').update(token).digest();
