import { type ProgramMetrics, requestDurations } from '@rampart/program';
import type { FastifyInstance } from 'fastify';

/** Records how long requests take. An event stream stays open for as long as its reader wants, so it is left out. */
export function measureRequests(server: FastifyInstance, metrics: ProgramMetrics): void {
  const record = requestDurations(metrics);
  server.addHook('onResponse', (request, reply, done) => {
    if (!String(reply.getHeader('content-type')).startsWith('text/event-stream')) {
      const { url: route } = request.routeOptions;
      record({ route, method: request.method, status: reply.statusCode, seconds: reply.elapsedTime / 1_000 });
    }
    done();
  });
}
