import { createGunzip } from 'node:zlib';
import type { preParsingHookHandler } from 'fastify';
import { NodeError } from '../../errors/node-error.js';
import { sendError } from '../error.filter.js';

/** Decompresses a gzip body. Fastify applies its body limit to the decompressed size. */
export const gunzipBody: preParsingHookHandler = (request, reply, payload, done) => {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return done(null, payload);
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    const text = `content-encoding ${JSON.stringify(encoding)} is not known here; send the body as it is, or as gzip`;
    void sendError(reply, new NodeError('INVALID_ARGUMENT', text));
    return;
  }
  // Fastify no longer listens for errors of a body that it has refused.
  const gunzip = createGunzip().on('error', () => undefined);
  // Fastify compares this property with content-length.
  Object.defineProperty(gunzip, 'receivedEncodedLength', { get: () => gunzip.bytesWritten });
  payload.once('error', (error) => gunzip.destroy(error));
  // Otherwise a body without any bytes would be decompressed to an empty message.
  payload.once(
    'end',
    () => payload.readableDidRead || gunzip.destroy(new Error('the body is empty, which is not gzip')),
  );
  // Decompression stops when the request is refused early.
  reply.raw.once('close', () => {
    payload.unpipe(gunzip);
    gunzip.destroy();
  });
  done(null, payload.pipe(gunzip));
};
