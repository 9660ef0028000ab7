import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { TokenScope } from './token-scope.js';

/** The admin on whose behalf a request runs. Service methods that depend on the admin take it as their first argument. */
export interface Actor {
  readonly id: number;
  readonly username: string;
  readonly isSudo: boolean;
  /** The scope of the API token that authenticated the request; absent after a login with a password. */
  readonly scope?: TokenScope;
}

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
