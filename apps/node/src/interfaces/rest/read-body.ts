import type { FastifyRequest } from 'fastify';
import { NodeError } from '../../errors/node-error.js';

/**
 * Returns the bytes of a complete body; null when the request has no body. An empty body needs `content-length: 0` or a
 * content-encoding: an empty list of users removes all users, so a missing body must not be read as one.
 * @throws NodeError INVALID_ARGUMENT when the body broke off; over HTTP/2 the stream of such a body ends like that of a
 * complete one
 */
export function readBody({ raw, headers }: FastifyRequest, bytes: Buffer): Buffer | null {
  if (raw.aborted) throw new NodeError('INVALID_ARGUMENT', 'the body broke off');
  const announced = headers['content-length'] !== undefined || headers['content-encoding'] !== undefined;
  return bytes.length > 0 || announced ? bytes : null;
}
