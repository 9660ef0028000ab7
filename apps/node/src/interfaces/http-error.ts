import { types } from 'node:util';
import { HttpException } from '@nestjs/common';
import { MAX_MESSAGE_BYTES } from '@rampart/node-client';
import type { FastifyRequest } from 'fastify';
import { NodeError } from '../errors/node-error.js';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** The methods that the path of a request allows; empty for an unknown path. */
export function allowedMethodsOfPath({ server, url }: FastifyRequest): string[] {
  const path = url.replace(/\?.*$/s, '').replace(/(?<=.)\/$/, '');
  return METHODS.filter((method) => server.hasRoute({ method, url: path }));
}

/** Translates errors of Fastify into NodeErrors; any other value stays as it is. */
export function translateFastifyError(exception: unknown): unknown {
  if (!types.isNativeError(exception)) return exception;
  const status = refusalStatus(exception);
  if (status === 413) {
    return new NodeError('TOO_LARGE', `the message is larger than ${MAX_MESSAGE_BYTES} bytes`, { cause: exception });
  }
  return status < 500 ? new NodeError('INVALID_ARGUMENT', exception.message, { cause: exception }) : exception;
}

/** Nest turns most of Fastify's errors into HttpExceptions; errors of the body's stream are passed on unchanged. */
function refusalStatus(error: Error): number {
  if (error instanceof HttpException) return error.getStatus();
  return 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
}
