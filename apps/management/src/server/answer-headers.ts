import type { FastifyInstance } from 'fastify';

/** For every answer, of errors too; a route that shows a page says more than this itself. */
export const ANSWER_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Nobody between keeps an answer, tells where a link was found, or takes an answer for something to run. */
export function addAnswerHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (_request, reply, done) => {
    reply.headers(ANSWER_HEADERS);
    done();
  });
}
