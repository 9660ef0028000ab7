import type { FastifyInstance } from 'fastify';
import { ManagementError } from '../errors/management-error.js';

/** Refuses requests without a route before their body is read: with 405 where another method exists, else with 404. */
export function refuseUnknownRoutes(server: FastifyInstance): void {
  const methodsByUrl = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  server.addHook('onRoute', ({ url, method }) => {
    const known = methodsByUrl.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const one of [method].flat()) known.methods.add(one);
    methodsByUrl.set(url, known);
  });
  server.addHook('onRequest', (request, _reply, done) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const { url } = request.routeOptions;
    // `PUT /api/node/settings`: the router takes `settings` for an id, but it is a path of its own with other methods.
    const own = methodsByUrl.get(path.replace(/\/$/, ''));
    const isNoId = own !== undefined && url !== undefined && ID.test(url);
    if (!request.is404 && !isNoId) return done();
    const methods = [...methodsByUrl]
      .filter(([known, { pattern }]) => pattern.test(path) && !(own && ID.test(known)))
      .flatMap(([, all]) => [...all.methods]);
    if (methods.length === 0) return done(new ManagementError('NOT_FOUND'));
    const allow = [...new Set(methods)].sort().join(', ');
    done(new ManagementError('METHOD_NOT_ALLOWED', undefined, { allow }));
  });
}

/** The last segment is the parameter of an id. Ids are numbers, so unlike usernames they never equal another path. */
const ID = /:\w*_?id$/;

/**
 * A registered path, such as `/api/user/:username`, as a pattern with an optional trailing slash. `*` alone is not a
 * path of the API.
 */
function patternOf(url: string): RegExp {
  const steps = url
    .split('/')
    .map((step) => (step.startsWith(':') ? '[^/]+' : step.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${steps.join('/')}/?$`);
}
