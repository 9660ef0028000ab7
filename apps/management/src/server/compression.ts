import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Never of an event stream, whose lines must leave at once. */
const COMPRESSIBLE = /^(?:application\/(?:json|javascript)|text\/(?:css|html|javascript))(?:;|$)/;
/** Answers below this size fit into one packet anyway. */
const MIN_BYTES = 1024;
/** A subscription is small and fetched far more often than anything else: compressing it costs more than it saves. */
const SUBSCRIPTIONS = /^\/sub\//;

/** Compresses answers for clients that accept it; what is streamed is compressed as it is written. Bodies of requests stay as they are. */
export async function compressAnswers(server: FastifyInstance): Promise<void> {
  server.addHook('onRoute', (route) => {
    if (SUBSCRIPTIONS.test(route.url)) route.compress = false;
  });
  await server.register(compress, {
    customTypes: COMPRESSIBLE,
    encodings: ['br', 'gzip'],
    globalDecompression: false,
    threshold: MIN_BYTES,
  });
}
