import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Actor, seesNoSecrets } from '../access/actor.js';
import { checkIdentityProof } from '../access/identity-proof.js';
import { isLocal, LOCAL_ACTOR } from '../access/local-connection.js';
import { includesRoute } from '../access/token-scope.js';
import { TokenDeeds } from '../api-tokens/token-deeds.js';
import { ManagementError } from '../errors/management-error.js';
import { RequiredTotp } from '../totp/required-totp.js';
import { AuthService } from './auth.service.js';

/**
 * Checks who may call a route that is not public. It runs before the body is read, so that a refused request costs no
 * more than the check of its token.
 */
@Injectable()
export class AccessHook {
  constructor(
    private readonly auth: AuthService,
    private readonly requiredTotp: RequiredTotp,
    private readonly deeds: TokenDeeds,
  ) {}

  async check(request: FastifyRequest): Promise<void> {
    const actor = await this.admitted(request, await this.actorOf(request));
    request.actor = actor;
    const { secrets } = request.routeOptions.config;
    if (secrets && actor.apiTokenId !== undefined && !seesNoSecrets(actor))
      await this.deeds.recordRead(actor, request.ip, secrets.of);
  }

  /** The admin behind a request that is still being answered. It does not count as use of a session. @throws ManagementError */
  async actorStill(request: FastifyRequest): Promise<Actor> {
    return this.admitted(request, await this.actorOf(request, 'unused'));
  }

  private async admitted(request: FastifyRequest, actor: Actor): Promise<Actor> {
    const { config, url: path = '' } = request.routeOptions;
    const isForAllAdmins = config.accessLevel === 'admin';
    if (!isForAllAdmins && !(config.accessLevel === 'sudo' && actor.isSudo)) throw new ManagementError('FORBIDDEN');
    if (actor.scope && !includesRoute(actor.scope, { method: request.method, path, isForAllAdmins }))
      throw new ManagementError('API_TOKEN_SCOPE');
    const checked = await this.requiredTotp.checked(actor, request);
    if (config.identityProof && config.identityProof !== 'connection') checkIdentityProof(actor, config.identityProof);
    if (config.secrets?.form === 'any' && seesNoSecrets(actor)) throw new ManagementError('API_TOKEN_SECRETS');
    return checked;
  }

  /** A token stands before the cookie of a session. A request on the control socket with its key needs neither. */
  private async actorOf(request: FastifyRequest, use: 'used' | 'unused' = 'used'): Promise<Actor> {
    const { headers, raw } = request;
    if (headers.authorization !== undefined) return this.auth.authenticate(headers.authorization, request.ip, use);
    if (isLocal(raw)) return LOCAL_ACTOR;
    return this.auth.authenticateBrowser(request, use);
  }
}
