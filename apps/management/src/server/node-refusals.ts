import type { FastifyInstance } from 'fastify';
import { ManagementError } from '../errors/management-error.js';

/** Handles requests that Node.js would refuse by itself, with an empty answer without our headers. */
export function replaceNodeRefusals(server: FastifyInstance): void {
  // A server may ignore any other expectation than `100-continue`.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  server.addHook('onRequest', ({ headers, raw }, _reply, done) => {
    const lacksHost = headers.host === undefined && raw.httpVersion === '1.1';
    done(lacksHost ? new ManagementError('NOT_HTTP') : undefined);
  });
}
