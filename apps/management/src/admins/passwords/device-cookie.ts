import type { FastifyRequest } from 'fastify';

const NAME = 'rampart_device';
const SECONDS = 180 * 86_400;
/** The name that no sister site can set stands before the other one. */
const COOKIES = [`__Host-${NAME}`, NAME].map((name) => new RegExp(`(?:^|;) *${name}=([\\w-]{43})(?=;|$)`));

/** The secret by which a browser is known. It gives no rights: logins of others do not keep it from logging in. */
export function deviceOf(request: FastifyRequest | undefined): string | undefined {
  const cookies = request?.headers.cookie ?? '';
  return COOKIES.map((cookie) => cookie.exec(cookies)?.[1]).find((secret) => secret !== undefined);
}

/** The header that sets the cookie of a browser. It stays when the login ends. */
export const deviceCookie = (secret: string, isForHttps: boolean): string =>
  isForHttps
    ? `__Host-${NAME}=${secret}; Max-Age=${SECONDS}; Path=/; HttpOnly; SameSite=Strict; Secure`
    : `${NAME}=${secret}; Max-Age=${SECONDS}; Path=/api/admin; HttpOnly; SameSite=Strict`;
