import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import { preparedQuery } from '../database/prepared.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { windowOf } from '../http/page.js';
import { momentOf } from '../validation/moment.js';
import {
  ApiTokenCreate,
  ApiTokenFilter,
  type ApiTokenListView,
  type ApiTokenView,
  type CreatedApiTokenView,
} from './api-token.dto.js';
import { ApiToken } from './api-token.entity.js';
import { hashOfApiToken, newApiToken } from './api-token.js';

/** Level and name are the admin's row's: a token is never more than its admin is. */
const ACTOR = {
  name: 'api token actor',
  text: `SELECT admins.id, admins.username, admins.is_sudo AS "isSudo", api_tokens.scope, api_tokens.id AS "tokenId",
      coalesce(api_tokens.last_used_at < now() - interval '1 minute', true) AS "isUseDue"
    FROM api_tokens JOIN admins ON admins.id = api_tokens.admin_id
    WHERE api_tokens.hash = $1 AND (api_tokens.expires_at > now()) IS NOT FALSE AND NOT admins.is_disabled`,
};

interface TokenActor extends Actor {
  tokenId: number;
  isUseDue: boolean;
}

/** Tokens with which programs act for an admin. */
@Injectable()
export class ApiTokenService {
  constructor(private readonly database: DataSource) {}

  /** Who acts with a token that holds; nothing for any other text. */
  async actorOfToken(token: string): Promise<Actor | undefined> {
    const [found] = await preparedQuery(this.database)<TokenActor>(ACTOR, [hashOfApiToken(token)]);
    if (!found) return undefined;
    const { tokenId, isUseDue, ...actor } = found;
    // Written once a minute, however many requests come; of those that come at once, one writes.
    if (isUseDue)
      await this.database.query(
        `UPDATE api_tokens SET last_used_at = now()
         WHERE id = (SELECT id FROM api_tokens WHERE id = $1 AND (last_used_at > now() - interval '1 minute') IS NOT TRUE
           FOR NO KEY UPDATE SKIP LOCKED)`,
        [tokenId],
      );
    return actor;
  }

  async create(actor: Actor, { name, scope, expires_at }: ApiTokenCreate): Promise<CreatedApiTokenView> {
    const expiresAt = momentOf(expires_at ?? null) ?? null;
    if (expiresAt && expiresAt.getTime() <= Date.now())
      throw invalidFields({ expires_at: 'Input should be a moment in the future' });
    const token = newApiToken();
    return this.database.transaction(async (manager) => {
      const values = { adminId: actor.id, name, scope, expiresAt, hash: hashOfApiToken(token) };
      const { id } = await manager.save(manager.create(ApiToken, values));
      const after = await viewOf(manager, { id });
      await recordAudit(manager, { action: 'api_token.create', target: `api_token/${id}`, after });
      return { ...after, token };
    });
  }

  async list(actor: Actor, { admin, ...page }: ApiTokenFilter): Promise<ApiTokenListView> {
    const [tokens, total] = await this.database.manager.findAndCount(ApiToken, {
      where: { ...reachedBy(actor), ...(admin && { admin: { username: admin } }) },
      relations: { admin: true },
      order: { id: 'DESC' },
      ...windowOf(page),
    });
    return { tokens: tokens.map(apiTokenView), total };
  }

  async delete(actor: Actor, id: number): Promise<void> {
    await this.database.transaction(async (manager) => {
      const before = await viewOf(manager, { id, ...reachedBy(actor) });
      await manager.delete(ApiToken, { id });
      await recordAudit(manager, { action: 'api_token.delete', target: `api_token/${id}`, before });
    });
  }
}

/** Another admin's token is as one that is not there. */
const reachedBy = ({ id, isSudo }: Actor): FindOptionsWhere<ApiToken> => (isSudo ? {} : { adminId: id });

async function viewOf(manager: EntityManager, where: FindOptionsWhere<ApiToken>): Promise<ApiTokenView> {
  const token = await manager.findOne(ApiToken, { where, relations: { admin: true } });
  if (!token) throw new ManagementError('API_TOKEN_NOT_FOUND');
  return apiTokenView(token);
}

const apiTokenView = ({ id, name, admin, scope, expiresAt, createdAt, lastUsedAt }: ApiToken): ApiTokenView => ({
  id,
  name,
  admin: admin.username,
  scope,
  expires_at: expiresAt?.toISOString() ?? null,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
});
