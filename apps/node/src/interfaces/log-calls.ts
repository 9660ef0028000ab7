import { status as grpcStatus } from '@grpc/grpc-js';
import type { Logger } from '@nestjs/common';
import { withRequestId } from '@rampart/program';
import type { FastifyInstance } from 'fastify';
import type { EndedCall } from '../metrics/node-metrics.js';
import { requestIdOf } from './request-id.js';

/** Logs a line for each answered REST request on the level `debug`. */
export function logRequests(server: FastifyInstance, logger: Logger): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? 'unknown route';
    const line = `${method} ${route} ${reply.statusCode} in ${Math.round(reply.elapsedTime)} ms`;
    withRequestId(requestIdOf(request), () => logger.debug(line));
    done();
  });
}

/** Logs a line for an ended gRPC call on the level `debug`. */
export function logCall(logger: Logger, { method, code, seconds, requestId }: EndedCall): void {
  const line = `${method}: ${grpcStatus[code] ?? code} in ${Math.round(seconds * 1000)} ms`;
  withRequestId(requestId, () => logger.debug(line));
}
