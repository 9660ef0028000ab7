import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RouteSecrets } from '../access/access-level.js';
import type { Actor } from '../access/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import { networkAmong } from './token-networks.js';

const HOUR_MS = 3_600_000;
/** More than there are tokens in use at a time; beyond it, entries are repeated sooner. */
const MAX_REMEMBERED = 10_000;

/** What the log says of a token that reads one kind of secrets. */
interface Reads {
  readonly since: number;
  /** By network: ends when the entry is written. */
  readonly written: Map<string, Promise<void>>;
}

/** Writes to the audit log which secrets API tokens read: once in an hour for each token, kind and network. */
@Injectable()
export class TokenDeeds {
  private readonly seen = new Map<string, Reads>();

  constructor(private readonly database: DataSource) {}

  /** Resolves when the log has an entry, and fails when none can be written: then nothing may be told. */
  async recordRead(actor: Actor, address: string, read: RouteSecrets['of']): Promise<void> {
    const { written } = this.readsOf(`${actor.apiTokenId} ${read}`);
    const network = networkAmong(written, address);
    const entry = written.get(network) ?? this.write(actor, address, read);
    written.set(network, entry);
    try {
      await entry;
    } catch (error) {
      if (written.get(network) === entry) written.delete(network);
      throw error;
    }
  }

  private readsOf(key: string): Reads {
    const now = Date.now();
    const known = this.seen.get(key);
    if (known !== undefined && now - known.since < HOUR_MS) return known;
    if (this.seen.size >= MAX_REMEMBERED) this.seen.clear();
    const reads = { since: now, written: new Map() };
    this.seen.set(key, reads);
    return reads;
  }

  private write(actor: Actor, address: string, read: RouteSecrets['of']): Promise<void> {
    const target = `api_token/${actor.apiTokenId}` as const;
    const action = 'api_token.read_secrets';
    return recordAudit(this.database.manager, { action, target, after: { read }, by: { actor, address } });
  }
}
