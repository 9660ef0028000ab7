import { status } from '@grpc/grpc-js';
import { NodeClientError } from '../errors/node-client-error.js';
import type { StatResponse } from '../gen/service.js';

// Nodes of other implementations answer some calls differently. These functions convert their answers to those of Rampart.

/** The error of a refused Start. Other nodes answer every refusal with status 503 or UNKNOWN and the text of the engine. */
export function startError(error: unknown): unknown {
  if (!(error instanceof NodeClientError)) return error;
  const byRest = error.code === 'UNREACHABLE' && error.httpStatus === 503;
  const byGrpc = error.code === 'PROTOCOL' && error.grpcCode === status.UNKNOWN;
  return byRest || byGrpc ? new NodeClientError('START_FAILED', error.message, { ...error, cause: error }) : error;
}

/** Whether an error only means that the user was never connected, for which other nodes have an error. */
export const isUnknownUser = (error: unknown): boolean =>
  error instanceof NodeClientError && error.code === 'NOT_FOUND' && error.message.includes('online not found');

/** The error of a call that only Rampart nodes have, which other nodes answer like any unknown path or method. */
export function unsupportedCallError(rpc: string, error: unknown): unknown {
  if (!(error instanceof NodeClientError) || error.code !== 'NOT_FOUND') return error;
  return new NodeClientError('NOT_FOUND', `this node has no ${rpc}: ${error.message}`, { ...error, cause: error });
}

/** Statistics of current nodes. Other nodes before version 0.5 swap `type` and `link`. */
export function normalizeStats({ stats }: StatResponse): StatResponse {
  return {
    stats: stats.map((stat) => (stat.type === 'traffic' ? { ...stat, type: stat.link, link: stat.type } : stat)),
  };
}
