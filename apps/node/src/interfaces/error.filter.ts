import { type ArgumentsHost, Catch, type ExceptionFilter, Logger, NotFoundException } from '@nestjs/common';
import { RpcException } from '@nestjs/microservices';
import { isClientDisconnect, withRequestId } from '@rampart/program';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, throwError } from 'rxjs';
import { NodeError } from '../errors/node-error.js';
import { callIdOf } from './call-id.interceptor.js';
import { grpcStatusOf } from './grpc/grpc-status.js';
import { allowedMethodsOfPath, translateFastifyError } from './http-error.js';

/**
 * Turns every error of both transports into an answer: a NodeError stays as it is, everything else becomes INTERNAL and
 * its cause is logged.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter<unknown> {
  private readonly logger = new Logger('Interfaces');

  catch(exception: unknown, host: ArgumentsHost): Observable<never> | FastifyReply {
    return host.getType() === 'rpc' ? this.toGrpc(exception, host) : this.toHttp(exception, host);
  }

  private toGrpc(exception: unknown, host: ArgumentsHost): Observable<never> {
    // The call has ended already, with this reason.
    if (exception instanceof RpcException) return throwError(() => exception.getError());
    return throwError(() => grpcStatusOf(this.loggedNodeError(exception, host)));
  }

  private toHttp(exception: unknown, host: ArgumentsHost): FastifyReply {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    // The client has disconnected: the answer is not logged.
    if (isClientDisconnect(exception, reply.raw)) return sendError(reply, NodeError.from(exception));
    if (!(exception instanceof NotFoundException))
      return sendError(reply, this.loggedNodeError(translateFastifyError(exception), host));
    const request = http.getRequest<FastifyRequest>();
    const allowed = allowedMethodsOfPath(request);
    if (allowed.length === 0) return sendError(reply, new NodeError('NOT_FOUND', 'there is no such endpoint'));
    const text = `${request.method} is not allowed here, only ${allowed.join(', ')}`;
    return sendError(reply.header('allow', allowed.join(', ')), new NodeError('METHOD_NOT_ALLOWED', text));
  }

  private loggedNodeError(exception: unknown, host: ArgumentsHost): NodeError {
    const error = NodeError.from(exception);
    const text = error.cause instanceof Error ? error.cause.stack : error.message;
    if (error.code === 'INTERNAL') withRequestId(callIdOf(host), () => this.logger.error(text));
    return error;
  }
}

/** Sends an error as a REST response. */
export const sendError = (reply: FastifyReply, { httpStatus, message, code }: NodeError): FastifyReply =>
  reply.status(httpStatus).type('application/json').send({ error: message, code });
