import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { type Actor, isByApiToken } from '../access/actor.js';
import { preparedQuery } from '../database/prepared.js';
import { ManagementEnv } from '../env/management-env.js';
import { ManagementError } from '../errors/management-error.js';

/** What an admin may call who still has to set up a second factor: its own account and login, and the set-up. */
const SET_UP_ROUTES = new Set([
  'GET /api/admin',
  'HEAD /api/admin',
  'PUT /api/admin',
  'DELETE /api/admin/session',
  'POST /api/admin/step-up',
  'GET /api/admin/totp',
  'HEAD /api/admin/totp',
  'POST /api/admin/totp',
  'POST /api/admin/totp/confirm',
]);

const IS_ENABLED = {
  name: 'is_totp_enabled',
  text: 'SELECT FROM admin_totps WHERE admin_id = $1 AND confirmed_at IS NOT NULL',
};

/** The second factor that the settings require. It concerns logins: API tokens have none, and go on. */
@Injectable()
export class RequiredTotp {
  constructor(
    private readonly database: DataSource,
    private readonly env: ManagementEnv,
  ) {}

  /**
   * The admin behind a request, with a mark where it has to set up a second factor.
   *
   * @throws ManagementError TOTP_SET_UP_REQUIRED for every other route
   */
  async checked(actor: Actor, { method, routeOptions }: FastifyRequest): Promise<Actor> {
    if (!(await this.isMissing(actor))) return actor;
    if (!SET_UP_ROUTES.has(`${method} ${routeOptions.url}`)) throw new ManagementError('TOTP_SET_UP_REQUIRED');
    return { ...actor, mustSetUpTotp: true };
  }

  private async isMissing(actor: Actor): Promise<boolean> {
    const { requireTotp } = this.env;
    const isRequired = requireTotp === 'all' || (requireTotp === 'sudo' && actor.isSudo);
    if (!isRequired || actor.id === null || isByApiToken(actor)) return false;
    const found = await preparedQuery(this.database)<object>(IS_ENABLED, [actor.id]);
    return found.length === 0;
  }
}
