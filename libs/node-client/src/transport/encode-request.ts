import { NodeClientError } from '../errors/node-client-error.js';
import type { UnaryCall } from './node-transport.js';

/**
 * Encodes a request.
 *
 * @throws NodeClientError `INVALID_ARGUMENT` for values that its message cannot hold.
 */
export function encodeRequest<Q, R>({ requestSerialize, path }: UnaryCall<Q, R>, request: Q): Buffer {
  try {
    return requestSerialize(request);
  } catch (cause) {
    throw encodingError(`the request of ${path.slice(path.lastIndexOf('/') + 1)}`, cause);
  }
}

/**
 * The error `INVALID_ARGUMENT` for a value that a message cannot hold.
 *
 * @param what names the message in the error.
 */
export function encodingError(what: string, cause: unknown): NodeClientError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new NodeClientError('INVALID_ARGUMENT', `${what} has a value of the wrong kind: ${reason}`, { cause });
}
