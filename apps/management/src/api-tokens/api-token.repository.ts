import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { preparedQuery } from '../database/prepared.js';
import { type Page, windowOf } from '../http/page.js';
import { ApiToken } from './api-token.entity.js';

/** Name and access level come from the admin's row: a token never has more rights than its admin. */
const ACTOR = {
  name: 'api token actor',
  text: `SELECT admins.id, admins.username, admins.is_sudo AS "isSudo", api_tokens.scope, api_tokens.grants,
      api_tokens.expires_at AS "expiresAt", api_tokens.id AS "apiTokenId", api_tokens.name AS "apiTokenName",
      api_tokens.allowed_networks AS "allowedNetworks",
      coalesce(api_tokens.last_used_at < now() - interval '1 minute', true) AS "isUseDue"
    FROM api_tokens JOIN admins ON admins.id = api_tokens.admin_id
    WHERE api_tokens.hash = $1 AND (api_tokens.expires_at > now()) IS NOT FALSE AND NOT admins.is_disabled`,
};

/** An admin who acts through an API token. */
export interface TokenActor extends Actor {
  apiTokenId: number;
  apiTokenName: string;
  /** Networks from which the token may be used; empty: any. */
  allowedNetworks: string[];
  /** Whether the stored time of last use is more than a minute old. */
  isUseDue: boolean;
}

/** Statements on the table of API tokens. */
@Injectable()
export class ApiTokenRepository {
  constructor(private readonly database: DataSource) {}

  /** The enabled admin behind a token that has not expired. */
  async findActorByHash(hash: Buffer): Promise<TokenActor | undefined> {
    const [found] = await preparedQuery(this.database)<TokenActor>(ACTOR, [hash]);
    return found;
  }

  /** Sets the time of last use at most once a minute. Of concurrent requests one writes, and none waits. */
  async touchToken(tokenId: number): Promise<void> {
    await this.database.query(
      `UPDATE api_tokens SET last_used_at = now()
       WHERE id = (SELECT id FROM api_tokens WHERE id = $1 AND (last_used_at > now() - interval '1 minute') IS NOT TRUE
         FOR NO KEY UPDATE SKIP LOCKED)`,
      [tokenId],
    );
  }

  /** Counts the tokens of an admin, whose row stays locked until the transaction ends. */
  async countTokens(manager: EntityManager, adminId: number): Promise<number> {
    await manager.query('SELECT FROM admins WHERE id = $1 FOR NO KEY UPDATE', [adminId]);
    return manager.count(ApiToken, { where: { adminId } });
  }

  /** Stores a new token and returns its id. */
  async insertToken(
    manager: EntityManager,
    token: Pick<
      ApiToken,
      'adminId' | 'name' | 'scope' | 'grants' | 'allowedNetworks' | 'madeBy' | 'expiresAt' | 'hash'
    >,
  ): Promise<number> {
    const { id } = await manager.save(manager.create(ApiToken, token));
    return id;
  }

  /** A token with its admin. */
  findToken(manager: EntityManager, where: FindOptionsWhere<ApiToken>): Promise<ApiToken | null> {
    return manager.findOne(ApiToken, { where, relations: { admin: true } });
  }

  /** One page of tokens with their admins, newest first, and the number of all of them. */
  findTokensAndCount(where: FindOptionsWhere<ApiToken>, page: Page): Promise<[ApiToken[], number]> {
    return this.database.manager.findAndCount(ApiToken, {
      where,
      relations: { admin: true },
      order: { id: 'DESC' },
      ...windowOf(page),
    });
  }

  /** Deletes all tokens of an admin, with those that were created with them, and returns their ids. */
  deleteTokensOf(manager: EntityManager, adminId: number): Promise<number[]> {
    return this.deleteTokens(manager, 'admin_id', adminId);
  }

  /** Deletes a token, with those that were created with it, and returns their ids. */
  deleteToken(manager: EntityManager, id: number): Promise<number[]> {
    return this.deleteTokens(manager, 'id', id);
  }

  private async deleteTokens(manager: EntityManager, column: 'id' | 'admin_id', value: number): Promise<number[]> {
    const [rows] = await manager.query<[{ id: number }[], number]>(
      `WITH RECURSIVE ended AS (
         SELECT id FROM api_tokens WHERE ${column} = $1
         UNION SELECT made.id FROM api_tokens made JOIN ended ON made.made_by = ended.id
       ) DELETE FROM api_tokens WHERE id IN (SELECT id FROM ended) RETURNING id`,
      [value],
    );
    return rows.map(({ id }) => id).toSorted((a, b) => a - b);
  }
}
