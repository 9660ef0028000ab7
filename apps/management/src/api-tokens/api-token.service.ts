import { Injectable } from '@nestjs/common';
import { networkMatcher } from '@rampart/program';
import { DataSource, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { type Actor, isByApiToken, reachedBy } from '../access/actor.js';
import { TOKEN_GRANTS, type TokenGrant } from '../access/token-scope.js';
import { AdminRepository } from '../admins/store/admin.repository.js';
import { type CredentialChange, CredentialChanges } from '../admins/store/credential-changes.js';
import { recordAudit } from '../audit/record-audit.js';
import { ManagementEnv } from '../env/management-env.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { momentOf } from '../validation/moment.js';
import {
  ApiTokenCreate,
  ApiTokenFilter,
  type ApiTokenListView,
  ApiTokenOwner,
  type ApiTokenView,
  type CreatedApiTokenView,
  type DeletedApiTokensView,
} from './api-token.dto.js';
import type { ApiToken } from './api-token.entity.js';
import { hashOfApiToken, newApiToken } from './api-token.js';
import { ApiTokenRepository } from './api-token.repository.js';
import { TokenRefusals } from './token-refusals.js';

const DAY_MS = 86_400_000;
/** Maximum number of tokens of an admin. */
const MAX_TOKENS = 100;

/** Tokens through which programs act for an admin. */
@Injectable()
export class ApiTokenService {
  constructor(
    private readonly database: DataSource,
    private readonly tokens: ApiTokenRepository,
    private readonly admins: AdminRepository,
    private readonly refusals: TokenRefusals,
    private readonly env: ManagementEnv,
    changes: CredentialChanges,
  ) {
    changes.listen(async (manager, change) => {
      if (change.revokesTokens) await this.deleteOf(manager, change);
    });
  }

  /**
   * The admin behind an API token; undefined when the token is unknown or has expired, or its admin is disabled.
   *
   * @param address from where the request comes
   * @throws ManagementError when the token may not be used from there
   */
  async actorOfToken(token: string, address: string, use: 'used' | 'unused' = 'used'): Promise<Actor | undefined> {
    const found = await this.tokens.findActorByHash(hashOfApiToken(token));
    if (!found) return undefined;
    const { isUseDue, ...actor } = found;
    if (actor.allowedNetworks.length > 0 && !networkMatcher(actor.allowedNetworks)(address)) {
      await this.refusals.record(actor, address);
      throw new ManagementError('API_TOKEN_NETWORK');
    }
    if (isUseDue && use === 'used') await this.tokens.touchToken(actor.apiTokenId);
    return actor;
  }

  async create(
    actor: Actor,
    { admin_username, name, scope, grants, allowed_networks, expires_at }: ApiTokenCreate,
  ): Promise<CreatedApiTokenView> {
    const expiresAt = momentOf(expires_at ?? null) ?? null;
    this.checkEnd(expiresAt);
    const granted = grantsOf(grants);
    if (granted.includes('identity') && scope !== 'all')
      throw invalidFields({ grants: 'The grant identity needs the scope all' });
    const allowedNetworks = [...new Set(allowed_networks)];
    if (isByApiToken(actor)) checkIsNoWider(actor, { grants: granted, expiresAt, allowedNetworks });
    const token = newApiToken();
    return this.database.transaction(async (manager) => {
      const adminId = await this.ownerOf(manager, actor, admin_username ?? actor.username);
      if ((await this.tokens.countTokens(manager, adminId)) >= MAX_TOKENS) throw new ManagementError('API_TOKEN_LIMIT');
      const hash = hashOfApiToken(token);
      const madeBy = actor.apiTokenId ?? null;
      const values = { adminId, name, scope, grants: granted, allowedNetworks, madeBy, expiresAt, hash };
      const id = await this.tokens.insertToken(manager, values);
      const after = await this.viewToken(manager, { id });
      await recordAudit(manager, { action: 'api_token.create', target: `api_token/${id}`, after });
      return { ...after, token };
    });
  }

  async list(actor: Actor, { admin, ...page }: ApiTokenFilter): Promise<ApiTokenListView> {
    const where = { ...reachedBy(actor), ...(admin && { admin: { username: admin } }) };
    const [tokens, total] = await this.tokens.findTokensAndCount(where, page);
    return { tokens: tokens.map(apiTokenView), total };
  }

  async deleteAll(actor: Actor, { admin }: ApiTokenOwner): Promise<DeletedApiTokensView> {
    return this.database.transaction(async (manager) => {
      const username = admin ?? actor.username;
      const adminId = await this.ownerOf(manager, actor, username);
      return { deleted: await this.deleteOf(manager, { adminId, username }) };
    });
  }

  async delete(actor: Actor, id: number): Promise<void> {
    await this.database.transaction(async (manager) => {
      const before = await this.viewToken(manager, { id, ...reachedBy(actor) });
      const ids = await this.tokens.deleteToken(manager, id);
      const made = ids.filter((one) => one !== id);
      const deleted = { ...before, ...(made.length > 0 && { made }) };
      await recordAudit(manager, { action: 'api_token.delete', target: `api_token/${id}`, before: deleted });
    });
  }

  private async deleteOf(
    manager: EntityManager,
    { adminId, username }: Pick<CredentialChange, 'adminId' | 'username'>,
  ): Promise<number> {
    const ids = await this.tokens.deleteTokensOf(manager, adminId);
    const change = { action: 'api_token.delete_all', target: `admin/${username}`, before: { ids } } as const;
    if (ids.length > 0) await recordAudit(manager, change);
    return ids.length;
  }

  /** @throws ManagementError for an end that has passed, is later than the setting allows, or is missing */
  private checkEnd(expiresAt: Date | null): void {
    const { apiTokenDays: days } = this.env;
    const problem = (text: string) => invalidFields({ expires_at: text });
    const setting = `RAMPART_API_TOKEN_DAYS is ${days}`;
    if (expiresAt === null) {
      if (days > 0) throw problem(`Field required, a moment in the next ${days} days: ${setting}`);
    } else if (expiresAt.getTime() <= Date.now()) {
      throw problem('Input should be a moment in the future');
    } else if (days > 0 && expiresAt.getTime() > Date.now() + days * DAY_MS) {
      throw problem(`Input should be a moment in the next ${days} days: ${setting}`);
    }
  }

  /** The id of the admin of this name, if the caller may change its tokens. */
  private async ownerOf(manager: EntityManager, actor: Actor, username: string): Promise<number> {
    if (username === actor.username) {
      if (actor.id === null) throw new ManagementError('ADMIN_NOT_NAMED');
      return actor.id;
    }
    if (!actor.isSudo) throw new ManagementError('FORBIDDEN');
    return this.admins.lockId(manager, username);
  }

  private async viewToken(manager: EntityManager, where: FindOptionsWhere<ApiToken>): Promise<ApiTokenView> {
    const token = await this.tokens.findToken(manager, where);
    if (!token) throw new ManagementError('API_TOKEN_NOT_FOUND');
    return apiTokenView(token);
  }
}

/**
 * A token makes no token that may do more than itself: none with grants, and none that is valid for longer.
 *
 * @throws ManagementError
 */
function checkIsNoWider(
  { expiresAt: end, allowedNetworks: networks = [] }: Actor,
  { grants, expiresAt, allowedNetworks }: Pick<ApiToken, 'grants' | 'expiresAt' | 'allowedNetworks'>,
): void {
  if (grants.length > 0) throw new ManagementError('API_TOKEN_GRANTS');
  if (networks.length > 0 && (allowedNetworks.length === 0 || allowedNetworks.some((one) => !networks.includes(one))))
    throw invalidFields({ allowed_networks: `Input should be networks of this token: ${networks.join(', ')}` });
  if (end && (expiresAt === null || expiresAt > end))
    throw invalidFields({ expires_at: `Input should be no later than the end of this token, ${end.toISOString()}` });
}

/** Each grant once, in one order. */
const grantsOf = (grants: readonly TokenGrant[] | null | undefined): TokenGrant[] =>
  TOKEN_GRANTS.filter((one) => grants?.includes(one));

const apiTokenView = ({
  id,
  name,
  admin,
  scope,
  grants,
  allowedNetworks,
  madeBy,
  expiresAt,
  createdAt,
  lastUsedAt,
}: ApiToken): ApiTokenView => ({
  id,
  name,
  admin: admin.username,
  scope,
  grants,
  allowed_networks: allowedNetworks,
  made_by: madeBy,
  expires_at: expiresAt?.toISOString() ?? null,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
});
