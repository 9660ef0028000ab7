import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../access/actor.js';
import type { RequestContext } from '../access/request-context.js';
import { recordAudit } from '../audit/record-audit.js';
import { RepeatedTask } from '../database/repeated-task.js';
import { networkAmong } from './token-networks.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Tokens whose refusals are counted at a time. Beyond it, sums are written sooner. */
const MOST_TOKENS = 1_000;

/** The refusals of a token in an hour, by network. */
interface Refusals {
  readonly by: Actor;
  readonly networks: Map<string, number>;
}

/**
 * Uses of API tokens from networks that they may not be used from. The log of changes has the first of an hour from a network
 * (a /24, or a /48 of IPv6) at once, and the sum when the hour is over: whoever has the token cannot fill it.
 */
@Injectable()
export class TokenRefusals extends RepeatedTask {
  protected readonly logger = new Logger('API tokens');
  protected override readonly intervalMs = MINUTE_MS;
  private hour = hourOf(new Date());
  private readonly tokens = new Map<number, Refusals>();

  constructor(private readonly database: DataSource) {
    super();
  }

  async record(by: Actor, address: string): Promise<void> {
    const { apiTokenId: token = 0 } = by;
    await this.run(new Date(Date.now()));
    if (this.tokens.size >= MOST_TOKENS && !this.tokens.has(token)) await this.writeSums();
    const refusals = this.tokens.get(token) ?? { by, networks: new Map() };
    this.tokens.set(token, refusals);
    const { networks } = refusals;
    const network = networkAmong(networks, address);
    const before = networks.get(network) ?? 0;
    networks.set(network, before + 1);
    if (before === 0) await this.write(token, { actor: refusals.by, address }, { address });
  }

  /** Writes the sums of an hour that is over. */
  async run(now: Date): Promise<void> {
    const hour = hourOf(now);
    if (hour === this.hour) return;
    const written = this.writeSums();
    this.hour = hour;
    await written;
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await this.writeSums().catch((error: Error) => this.logger.warn(error.message));
  }

  private async writeSums(): Promise<void> {
    const hour = new Date(this.hour * HOUR_MS).toISOString();
    const sums = [...this.tokens];
    this.tokens.clear();
    for (const [token, { by, networks }] of sums)
      for (const [network, count] of networks)
        if (count > 1) await this.write(token, { actor: by }, { network, refusals: count, hour });
  }

  private write(token: number, by: Partial<RequestContext>, after: object): Promise<void> {
    const target = `api_token/${token}`;
    return recordAudit(this.database.manager, { action: 'api_token.refused', target, after, by });
  }
}

const hourOf = (now: Date): number => Math.floor(now.getTime() / HOUR_MS);
