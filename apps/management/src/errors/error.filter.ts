import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { toManagementError } from './error-funnel.js';

/** Every error leaves as `{detail, code}`; what was not foreseen is logged with its stack and leaves without it. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const error = toManagementError(thrown);
    if (error.status >= 500) this.logger.error(thrown instanceof Error ? thrown.stack : String(thrown));
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    void reply.status(error.status).send({ detail: error.detail, code: error.code });
  }
}
