import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AccessLevel } from '../access/access-level.js';
import { RouteRegistry } from '../openapi/route-registry.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export type Method = (typeof METHODS)[number];

export interface Route {
  method: Method;
  /** As it is registered: `/api/user/:username`. */
  path: string;
  /** Both, which names it. */
  route: string;
  level: AccessLevel | undefined;
}

/** Every route that the app has. */
export const routesOf = (app: NestFastifyApplication): Route[] =>
  app
    .get(RouteRegistry)
    .routes()
    .map(({ method, path, level }) => ({ method: methodOf(method), path, route: `${method} ${path}`, level }));

/** Those that reach many without having it in their paths. */
const WIDE = [
  'POST /api/users/reset',
  'POST /api/nodes/reconnect',
  'DELETE /api/users/expired',
  'POST /api/admin/:username/users/disable',
  'POST /api/admin/:username/users/activate',
  'DELETE /api/admin/:username/users',
];

/** Whether a call reaches many: it refuses what it does not know. */
export const reachesMany = (route: string): boolean => route.includes('/bulk/') || WIDE.includes(route);

function methodOf(name: string): Method {
  const method = METHODS.find((known) => known === name);
  if (!method) throw new Error(`no test knows the method ${name}`);
  return method;
}
