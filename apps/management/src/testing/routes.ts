import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AccessLevel, IdentityProof } from '../access/access-level.js';
import { RouteRegistry } from '../openapi/route-registry.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export type Method = (typeof METHODS)[number];

export interface Route {
  method: Method;
  /** The registered path, such as `/api/user/:username`. */
  path: string;
  /** Method and path, which identify the route. */
  route: string;
  level: AccessLevel | undefined;
  identityProof: IdentityProof | undefined;
}

/** All routes of the app. */
export const routesOf = (app: NestFastifyApplication): Route[] =>
  app
    .get(RouteRegistry)
    .routes()
    .map(({ method, path, level, identityProof }) => ({
      method: methodOf(method),
      path,
      route: `${method} ${path}`,
      level,
      identityProof,
    }));

/** Routes that take a body and change nothing. */
export const CHECKING = ['POST /api/cores/check', 'POST /api/hosts/check', 'POST /api/user/:username/preview'];

/** Bulk routes without `/bulk/` in their paths. */
const WIDE = [
  'POST /api/users/reset',
  'POST /api/nodes/reconnect',
  'DELETE /api/users/expired',
  'POST /api/admin/:username/users/disable',
  'POST /api/admin/:username/users/activate',
  'DELETE /api/admin/:username/users',
  'POST /api/node/:node_id/usage/revert',
];

/** Whether a route is a bulk call, which refuses unknown members. */
export const reachesMany = (route: string): boolean => route.includes('/bulk/') || WIDE.includes(route);

function methodOf(name: string): Method {
  const method = METHODS.find((known) => known === name);
  if (!method) throw new Error(`no test knows the method ${name}`);
  return method;
}
