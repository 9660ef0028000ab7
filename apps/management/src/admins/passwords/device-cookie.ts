import type { FastifyRequest } from 'fastify';

const NAME = 'rampart_device';
const SECONDS = 180 * 86_400;
const COOKIE = new RegExp(`(?:^|;) *(?:__Host-)?${NAME}=([\\w-]{43})(?=;|$)`);

/** The secret by which a browser is known. It gives no rights: logins of others do not keep it from logging in. */
export const deviceOf = (request: FastifyRequest | undefined): string | undefined =>
  COOKIE.exec(request?.headers.cookie ?? '')?.[1];

/** The header that sets the cookie of a browser. It stays when the login ends. */
export const deviceCookie = (secret: string, isForHttps: boolean): string =>
  isForHttps
    ? `__Host-${NAME}=${secret}; Max-Age=${SECONDS}; Path=/; HttpOnly; SameSite=Strict; Secure`
    : `${NAME}=${secret}; Max-Age=${SECONDS}; Path=/api/admin; HttpOnly; SameSite=Strict`;
