import { createHash, randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ManagementError } from '../errors/management-error.js';

const NAME = 'rampart_session';
const RANDOM_BYTES = 32;
/** A header that a page of another site cannot send without asking the browser, which asks management (CORS). */
export const OWN_HEADER = 'x-rampart-dashboard';
const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
const COOKIE = new RegExp(`(?:^|;) *${NAME}=([\\w-]{43})(?=;|$)`);

/** The secret of a new session, 43 characters of base64url. */
export const newSessionSecret = (): string => randomBytes(RANDOM_BYTES).toString('base64url');

/** The hash under which a session is stored and looked up. The secret is random, so no slow hash is needed. */
export const hashOfSession = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** The secret of the session that the cookies of a request name. */
export const sessionSecretOf = ({ headers }: FastifyRequest): string | undefined =>
  headers.cookie === undefined ? undefined : COOKIE.exec(headers.cookie)?.[1];

/**
 * The header that sets the cookie, or removes it where there is no secret. Scripts cannot read it, no other site can make a
 * browser send it, and over HTTPS it is never sent in plain text. Without an end it lives as long as the browser.
 */
export function sessionCookie(secret: string | undefined, { protocol }: FastifyRequest): string {
  const attributes = `Path=/api; HttpOnly; SameSite=Strict${protocol === 'https' ? '; Secure' : ''}`;
  return secret === undefined ? `${NAME}=; Max-Age=0; ${attributes}` : `${NAME}=${secret}; ${attributes}`;
}

/**
 * Refuses a request that changes something with the rights of a cookie, unless a page of this management sent it. Browsers
 * tell where a request comes from only over HTTPS and on localhost, the header of our own is required everywhere.
 */
export function checkOwnPage({ method, headers }: FastifyRequest): void {
  if (READING.has(method)) return;
  const site = headers['sec-fetch-site'];
  if (headers[OWN_HEADER] === undefined || (site !== undefined && site !== 'same-origin'))
    throw new ManagementError('CROSS_SITE');
}
