import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import { isClientDisconnect } from '@rampart/program';
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
    const { routeOptions } = host.switchToHttp().getRequest<FastifyRequest>();
    const error = toManagementError(thrown, routeOptions.bodyLimit);
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (error.status >= 500 && error !== thrown && !isClientDisconnect(thrown, reply.raw))
      this.logger.error(thrown instanceof Error ? thrown.stack : String(thrown));
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    void reply.headers(error.headers).status(error.status).send({ detail: error.detail, code: error.code });
  }
}
