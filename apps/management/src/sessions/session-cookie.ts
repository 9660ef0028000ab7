import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ManagementEnv } from '../env/management-env.js';
import { ManagementError } from '../errors/management-error.js';
import { isForHttps } from '../http/public-url.js';

/** Browsers take a name with this prefix only over HTTPS, with `Secure`, for the whole host, and from no sister site. */
const HOST_ONLY = '__Host-';
const NAME = 'rampart_session';
const RANDOM_BYTES = 32;
/** Maximum number of cookies of one name that are tried; each costs a query. */
const MAX_TRIED = 4;
/** A header that a page of another site cannot send without asking the browser, which asks management (CORS). */
export const OWN_HEADER = 'x-rampart-dashboard';
const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The secret of a new session, 43 characters of base64url. */
export const newSessionSecret = (): string => randomBytes(RANDOM_BYTES).toString('base64url');

/** The hash under which a session is stored and looked up. The secret is random, so no slow hash is needed. */
export const hashOfSession = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/**
 * The cookies of sessions. Scripts cannot read them and no other site can make a browser send them. Where management is for
 * HTTPS they are never sent in plain text, and no sister site can set one; the name without the prefix is not read there.
 */
@Injectable()
export class SessionCookies {
  constructor(private readonly env: ManagementEnv) {}

  /** The secrets of the sessions that the cookies of a request name, without repetitions. */
  secretsOf(request: FastifyRequest): string[] {
    return valuesOf(request, this.nameFor(request)).slice(0, MAX_TRIED);
  }

  /** The headers that set the cookie. Without an end it lives as long as the browser. */
  set(secret: string, request: FastifyRequest): string[] {
    return [`${this.nameFor(request)}=${secret}; ${this.attributesFor(request)}`, ...this.withoutPrefix(request)];
  }

  /** The headers that remove the cookie. */
  remove(request: FastifyRequest): string[] {
    return [`${this.nameFor(request)}=; Max-Age=0; ${this.attributesFor(request)}`, ...this.withoutPrefix(request)];
  }

  /** Removes the cookie of a login over plain HTTP, from before there was HTTPS. */
  private withoutPrefix(request: FastifyRequest): string[] {
    const isLeft = isForHttps(this.env, request) && valuesOf(request, NAME).length > 0;
    return isLeft ? [`${NAME}=; Max-Age=0; Path=/api`] : [];
  }

  private nameFor(request: FastifyRequest): string {
    return isForHttps(this.env, request) ? `${HOST_ONLY}${NAME}` : NAME;
  }

  private attributesFor(request: FastifyRequest): string {
    return isForHttps(this.env, request)
      ? 'Path=/; HttpOnly; SameSite=Strict; Secure'
      : 'Path=/api; HttpOnly; SameSite=Strict';
  }
}

/** The values of all cookies with this name that have the form of a secret. */
function valuesOf({ headers: { cookie = '' } }: FastifyRequest, name: string): string[] {
  const found = cookie.split(';').flatMap((pair) => {
    const [key, value = ''] = pair.trim().split('=', 2);
    return key === name && /^[\w-]{43}$/.test(value) ? [value] : [];
  });
  return [...new Set(found)];
}

/**
 * Refuses a request with the rights of a cookie that a page of another site sent, also of a sister site, and one that changes
 * something unless a page of this management sent it. Browsers tell where a request comes from only over HTTPS and on
 * localhost, the header of our own is required everywhere. A read may come from the address bar.
 */
export function checkOwnPage({ method, headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (READING.has(method)) {
    if (site === undefined || site === 'same-origin' || site === 'none') return;
    throw new ManagementError('CROSS_SITE', 'A session cookie is for pages of this site alone');
  }
  if (headers[OWN_HEADER] === undefined || (site !== undefined && site !== 'same-origin'))
    throw new ManagementError('CROSS_SITE');
}
