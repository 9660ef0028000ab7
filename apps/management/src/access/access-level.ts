import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';

export const ACCESS_LEVEL = 'rampart:access-level';
export type AccessLevel = 'sudo' | 'admin' | 'public';

declare module 'fastify' {
  interface FastifyContextConfig {
    accessLevel?: AccessLevel;
  }
}

/** As the route knows it before any handler does, and as tests read it. */
const Access = (accessLevel: AccessLevel): MethodDecorator =>
  applyDecorators(RouteConfig({ accessLevel }), SetMetadata(ACCESS_LEVEL, accessLevel));

/** Who may call a route. Every route carries exactly one of these; one without is closed to all. */
export const Sudo = () => Access('sudo');
export const AnyAdmin = () => Access('admin');
export const Public = () => Access('public');
