import { Injectable } from '@nestjs/common';
import { ProgramMetrics } from '@rampart/program';
import type { SubscriptionFormat } from '@rampart/subscription';
import { type ClientFamily, clientFamily } from './client-family.js';

/** Maximum number of User-Agents whose families are remembered; each further one costs a search. */
const MAX_USER_AGENTS = 1_000;

/** Counts delivered subscriptions by format and family of clients. */
@Injectable()
export class SubscriptionMetrics {
  private readonly families = new Map<string, ClientFamily>();
  private readonly delivered = this.metrics.counter({
    name: 'rampart_subscriptions_total',
    help: 'Delivered subscriptions, by format (page: the page for browsers) and by family of client programs.',
    labelNames: ['format', 'client'],
  });

  constructor(private readonly metrics: ProgramMetrics) {}

  count(format: SubscriptionFormat | 'page', userAgent: string): void {
    this.delivered.inc({ format, client: this.familyOf(userAgent) });
  }

  private familyOf(userAgent: string): ClientFamily {
    const known = this.families.get(userAgent);
    if (known !== undefined) return known;
    const family = clientFamily(userAgent);
    if (this.families.size >= MAX_USER_AGENTS) this.families.clear();
    this.families.set(userAgent, family);
    return family;
  }
}
