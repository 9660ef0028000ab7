import { REQUEST_ID_HEADER } from '@rampart/node-client';
import type { FastifyInstance } from 'fastify';

/** Headers of every answer, including errors; routes that show pages override some of them. */
export const ANSWER_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * Sets headers that prevent caching, leaking of URLs through the referrer, and execution of answers, and the id under which
 * the log has the request.
 */
export function addAnswerHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(ANSWER_HEADERS).header(REQUEST_ID_HEADER, request.id);
    done();
  });
}
