import { status } from '@grpc/grpc-js';
import { NodeClientError } from '../errors/node-client-error.js';
import type { StatResponse } from '../gen/service.js';

// What nodes of other make answer differently, brought to what ours answer.

/** They answer every refused Start with 503 or UNKNOWN and the engine's text, whoever is at fault. */
export function startError(error: unknown): unknown {
  if (!(error instanceof NodeClientError)) return error;
  const byRest = error.code === 'UNREACHABLE' && error.httpStatus === 503;
  const byGrpc = error.code === 'PROTOCOL' && error.grpcCode === status.UNKNOWN;
  return byRest || byGrpc ? new NodeClientError('START_FAILED', error.message, { ...error, cause: error }) : error;
}

/** They have an error for a user who was never connected. */
export const isUnknownUser = (error: unknown): boolean =>
  error instanceof NodeClientError && error.code === 'NOT_FOUND' && error.message.includes('online not found');

/** What is ours alone they answer like any unknown path or method. */
export function unsupportedCallError(rpc: string, error: unknown): unknown {
  if (!(error instanceof NodeClientError) || error.code !== 'NOT_FOUND') return error;
  return new NodeClientError('NOT_FOUND', `this node has no ${rpc}: ${error.message}`, { ...error, cause: error });
}

/** Before their version 0.5 `type` and `link` of single items stood in each other's place. */
export function modernStats({ stats }: StatResponse): StatResponse {
  return {
    stats: stats.map((stat) => (stat.type === 'traffic' ? { ...stat, type: stat.link, link: stat.type } : stat)),
  };
}
