import type { FastifyRequest } from 'fastify';
import { NodeError } from '../../errors/node-error.js';

/**
 * The bytes of a body that has come to its end; null where there was none. An empty one says `content-length: 0`, or is
 * packed: an empty list of users removes all of them, so it is never read out of nothing.
 * @throws NodeError INVALID_ARGUMENT where the body broke off: over HTTP/2 its stream ends then as after a whole one.
 */
export function readBody({ raw, headers }: FastifyRequest, bytes: Buffer): Buffer | null {
  if (raw.aborted) throw new NodeError('INVALID_ARGUMENT', 'the body broke off');
  const announced = headers['content-length'] !== undefined || headers['content-encoding'] !== undefined;
  return bytes.length > 0 || announced ? bytes : null;
}
