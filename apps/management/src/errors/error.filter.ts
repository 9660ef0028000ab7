import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import { isClientDisconnect, withRequestId } from '@rampart/program';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toManagementError } from './to-management-error.js';

/**
 * Answers every error as `{detail, code}`. Unexpected errors are logged with their stack, which the answer does not
 * contain.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const { routeOptions, id } = host.switchToHttp().getRequest<FastifyRequest>();
    const error = toManagementError(thrown, routeOptions.bodyLimit);
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (error.status >= 500 && error !== thrown && !isClientDisconnect(thrown, reply.raw))
      withRequestId(id, () => this.logger.error(thrown instanceof Error ? thrown.stack : String(thrown)));
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    const { detail, code, current } = error;
    void reply
      .headers(error.headers)
      .status(error.status)
      .send({ detail, code, ...(current && { current }) });
  }
}
