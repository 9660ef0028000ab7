import type { FastifyInstance } from 'fastify';
import { ManagementError } from '../errors/management-error.js';

/** Takes over what Node would refuse by itself, with an empty answer that has none of our headers. */
export function replaceNodeRefusals(server: FastifyInstance): void {
  // Whatever else than a 100 somebody expects, a server may ignore it.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  server.addHook('onRequest', ({ headers, raw }, _reply, done) => {
    const lacksHost = headers.host === undefined && raw.httpVersion === '1.1';
    done(lacksHost ? new ManagementError('NOT_HTTP') : undefined);
  });
}
