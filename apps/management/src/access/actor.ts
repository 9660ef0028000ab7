import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { TokenGrant, TokenScope } from './token-scope.js';

/** The admin on whose behalf a request runs. Service methods that depend on the admin take it as their first argument. */
export interface Actor {
  /** Null for whoever uses the control socket, who is no admin of the database. */
  readonly id: number | null;
  readonly username: string;
  readonly isSudo: boolean;
  /** The scope of the API token that authenticated the request; absent after a login with a password. */
  readonly scope?: TokenScope;
  /** What this API token may do beside its scope; absent after a login with a password. */
  readonly grants?: readonly TokenGrant[];
  /** When this API token ends; null: never. Absent after a login with a password. */
  readonly expiresAt?: Date | null;
  /** The id of this API token. Absent after a login with a password. */
  readonly apiTokenId?: number;
  /** Its name. Absent after a login with a password. */
  readonly apiTokenName?: string;
  /** The networks from which this API token may be used; empty: any. Absent after a login with a password. */
  readonly allowedNetworks?: readonly string[];
  /** The login that authenticated the request: a session of a browser, or a login token. */
  readonly sessionId?: number;
  /** Whether the admin can only set up the second factor that the settings require. */
  readonly mustSetUpTotp?: boolean;
  /** When the admin has last shown its password and factor to this login. Absent for API tokens. */
  readonly authenticatedAt?: Date;
}

/** Whether the request came with an API token. */
export const isByApiToken = ({ scope }: Actor): boolean => scope !== undefined;

/** Plain admins reach rows of their own only; for them, those of others do not exist. */
export const reachedBy = ({ id, isSudo }: Actor): { adminId?: number } =>
  isSudo || id === null ? {} : { adminId: id };

/** Whether secrets are hidden from an admin: from API tokens that only read, unless they have the grant. */
export const seesNoSecrets = ({ scope, grants = [] }: Actor): boolean =>
  scope === 'read' && !grants.includes('secrets');

declare module 'fastify' {
  interface FastifyRequest {
    actor?: Actor;
  }
}

/** Parameter decorator: the admin whose token authenticated the request. */
export const CurrentAdmin = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  const { actor } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!actor) throw new Error('@CurrentAdmin() is used on a public route');
  return actor;
});
