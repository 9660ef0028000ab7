import { isRequestId, REQUEST_ID_HEADER } from '@rampart/node-client';
import type { FastifyRequest } from 'fastify';

/** The id that the caller has sent with a request; undefined where it has sent none, or a text that is no id. */
export function requestIdOf({ headers }: FastifyRequest): string | undefined {
  const id = headers[REQUEST_ID_HEADER];
  return typeof id === 'string' && isRequestId(id) ? id : undefined;
}
