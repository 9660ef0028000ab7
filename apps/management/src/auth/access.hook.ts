import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ManagementError } from '../errors/management-error.js';
import { AuthService } from './auth.service.js';

/** Not for public routes. Before the body is read: who may not call a route costs a look at a token, whatever else is sent. */
@Injectable()
export class AccessHook {
  constructor(private readonly auth: AuthService) {}

  async check(request: FastifyRequest): Promise<void> {
    const { accessLevel } = request.routeOptions.config;
    request.actor = await this.auth.actorOf(request.headers.authorization);
    if (accessLevel === 'admin' || (accessLevel === 'sudo' && request.actor.isSudo)) return;
    throw new ManagementError('FORBIDDEN');
  }
}
