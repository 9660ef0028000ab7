import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RouteSecrets } from '../access/access-level.js';
import type { Actor } from '../access/actor.js';
import { recordAudit } from '../audit/record-audit.js';

const HOUR_MS = 3_600_000;
/** More than there are tokens in use at a time; beyond it, entries are repeated sooner. */
const MAX_REMEMBERED = 10_000;

/** Something that an API token does. */
interface Deed {
  readonly action: 'api_token.read_secrets' | 'api_token.refused';
  /** What it reads, or from where it is refused. */
  readonly detail: { readonly read: RouteSecrets['of'] } | { readonly address: string };
}

/** Writes to the audit log what API tokens do without changing anything: once in an hour for each token and detail. */
@Injectable()
export class TokenDeeds {
  private readonly seen = new Map<string, number>();

  constructor(private readonly database: DataSource) {}

  async record(actor: Actor, address: string, { action, detail }: Deed): Promise<void> {
    const key = `${actor.apiTokenId} ${action} ${Object.values(detail).join()}`;
    const now = Date.now();
    if (now - (this.seen.get(key) ?? -HOUR_MS) < HOUR_MS) return;
    if (this.seen.size >= MAX_REMEMBERED) this.seen.clear();
    this.seen.set(key, now);
    const target = `api_token/${actor.apiTokenId}` as const;
    await recordAudit(this.database.manager, { action, target, after: detail, by: { actor, address } });
  }
}
