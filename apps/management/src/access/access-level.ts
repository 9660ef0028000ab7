import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';

export const ACCESS_LEVEL = 'rampart:access-level';
export type AccessLevel = 'sudo' | 'admin' | 'public';

declare module 'fastify' {
  interface FastifyContextConfig {
    accessLevel?: AccessLevel;
  }
}

/** Sets the access level in the route's config, for hooks that run before any handler, and as metadata, for tests. */
const Access = (accessLevel: AccessLevel): MethodDecorator =>
  applyDecorators(RouteConfig({ accessLevel }), SetMetadata(ACCESS_LEVEL, accessLevel));

/** Decorators that say who may call a route. Every route carries exactly one; a route without one is closed to everybody. */
export const Sudo = () => Access('sudo');
export const AnyAdmin = () => Access('admin');
export const Public = () => Access('public');
