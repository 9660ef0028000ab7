import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { TokenScope } from './token-scope.js';

/** The admin who acts: the first argument of every service method that depends on it. */
export interface Actor {
  readonly id: number;
  readonly username: string;
  readonly isSudo: boolean;
  /** Of the API token with which the admin acts; absent after a login. */
  readonly scope?: TokenScope;
}

declare module 'fastify' {
  interface FastifyRequest {
    actor?: Actor;
  }
}

/** The admin whose token came with the request. */
export const CurrentAdmin = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  const { actor } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!actor) throw new Error('@CurrentAdmin() stands on a public route');
  return actor;
});
