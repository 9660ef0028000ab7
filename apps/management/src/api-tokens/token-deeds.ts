import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RouteSecrets } from '../access/access-level.js';
import type { Actor } from '../access/actor.js';
import { recordAudit } from '../audit/record-audit.js';

const HOUR_MS = 3_600_000;
/** More than there are tokens in use at a time; beyond it, entries are repeated sooner. */
const MAX_REMEMBERED = 10_000;

/** Writes to the audit log which secrets API tokens read: once in an hour for each token and kind. */
@Injectable()
export class TokenDeeds {
  private readonly seen = new Map<string, number>();

  constructor(private readonly database: DataSource) {}

  async recordRead(actor: Actor, address: string, read: RouteSecrets['of']): Promise<void> {
    const key = `${actor.apiTokenId} ${read}`;
    const now = Date.now();
    if (now - (this.seen.get(key) ?? -HOUR_MS) < HOUR_MS) return;
    if (this.seen.size >= MAX_REMEMBERED) this.seen.clear();
    this.seen.set(key, now);
    const target = `api_token/${actor.apiTokenId}` as const;
    const action = 'api_token.read_secrets';
    await recordAudit(this.database.manager, { action, target, after: { read }, by: { actor, address } });
  }
}
