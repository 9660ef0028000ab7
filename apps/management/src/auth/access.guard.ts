import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ManagementError } from '../errors/management-error.js';
import { ACCESS_LEVEL, type AccessLevel } from './access-level.js';
import { AuthService } from './auth.service.js';

@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly auth: AuthService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const level = this.reflector.get<AccessLevel | undefined>(ACCESS_LEVEL, context.getHandler());
    if (level === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    request.actor = await this.auth.actorOf(request.headers.authorization);
    if (level === 'admin' || (level === 'sudo' && request.actor.isSudo)) return true;
    throw new ManagementError('FORBIDDEN');
  }
}
