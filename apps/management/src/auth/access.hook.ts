import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { includesRoute } from '../access/token-scope.js';
import { ManagementError } from '../errors/management-error.js';
import { AuthService } from './auth.service.js';

/**
 * Checks who may call a route that is not public. It runs before the body is read, so that a refused request costs no
 * more than the check of its token.
 */
@Injectable()
export class AccessHook {
  constructor(private readonly auth: AuthService) {}

  async check(request: FastifyRequest): Promise<void> {
    const actor = await this.auth.authenticate(request.headers.authorization);
    const { config, url: path = '' } = request.routeOptions;
    const isForAllAdmins = config.accessLevel === 'admin';
    if (!isForAllAdmins && !(config.accessLevel === 'sudo' && actor.isSudo)) throw new ManagementError('FORBIDDEN');
    if (actor.scope && !includesRoute(actor.scope, { method: request.method, path, isForAllAdmins }))
      throw new ManagementError('API_TOKEN_SCOPE');
    request.actor = actor;
  }
}
