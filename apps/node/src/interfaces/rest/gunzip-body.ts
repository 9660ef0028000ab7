import { createGunzip } from 'node:zlib';
import type { preParsingHookHandler } from 'fastify';
import { NodeError } from '../../errors/node-error.js';
import { sendError } from '../error.filter.js';

/** Unpacks a body that comes as gzip. Fastify holds what comes out to the limit of every body, however small it came in. */
export const gunzipBody: preParsingHookHandler = (request, reply, payload, done) => {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return done(null, payload);
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    const text = `content-encoding ${JSON.stringify(encoding)} is not known here; send the body as it is, or as gzip`;
    void sendError(reply, new NodeError('INVALID_ARGUMENT', text));
    return;
  }
  // Fastify no longer listens to what goes wrong after it refused a body.
  const gunzip = createGunzip().on('error', () => undefined);
  // Compared with content-length.
  Object.defineProperty(gunzip, 'receivedEncodedLength', { get: () => gunzip.bytesWritten });
  payload.once('error', (error) => gunzip.destroy(error));
  // What is refused early is not unpacked any further.
  reply.raw.once('close', () => {
    payload.unpipe(gunzip);
    gunzip.destroy();
  });
  done(null, payload.pipe(gunzip));
};
