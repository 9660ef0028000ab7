import type { FastifyInstance } from 'fastify';
import { ManagementError } from '../errors/management-error.js';

/** Refuses what no route answers before any body is read: 405 where another method would do, else 404. */
export function refuseUnknownRoutes(server: FastifyInstance): void {
  const methodsByUrl = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  server.addHook('onRoute', ({ url, method }) => {
    const known = methodsByUrl.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const one of [method].flat()) known.methods.add(one);
    methodsByUrl.set(url, known);
  });
  server.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done();
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = [...methodsByUrl.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((all) => [...all.methods]);
    if (methods.length === 0) return done(new ManagementError('NOT_FOUND'));
    const allow = [...new Set(methods)].sort().join(', ');
    done(new ManagementError('METHOD_NOT_ALLOWED', undefined, { allow }));
  });
}

/** `/api/user/:username` as the router reads it, with or without a slash at the end. `*` alone is no path of ours. */
function patternOf(url: string): RegExp {
  const steps = url
    .split('/')
    .map((step) => (step.startsWith(':') ? '[^/]+' : step.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${steps.join('/')}/?$`);
}
