import { type ProgramMetrics, requestDurations } from '@rampart/program';
import type { FastifyInstance } from 'fastify';

/** An open log lasts as long as its reader wants. */
const LOGS = '/logs';

/** Records how long REST requests take, by their route. */
export function measureRequests(server: FastifyInstance, metrics: ProgramMetrics): void {
  const record = requestDurations(metrics);
  server.addHook('onResponse', (request, reply, done) => {
    const { url: route } = request.routeOptions;
    if (route !== LOGS) {
      record({ route, method: request.method, status: reply.statusCode, seconds: reply.elapsedTime / 1000 });
    }
    done();
  });
}
