import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ManagementEnv } from '../../env/management-env.js';
import { TrafficRepository } from '../../usage/traffic.repository.js';
import { NodeTotalsRepository } from '../store/node-totals.repository.js';
import { CounterReadingRepository } from './counter-reading.repository.js';
import { NodeTrafficRepository } from './node-traffic.repository.js';

/** Entries beyond the number of users: of users deleted or renamed since, and of inbounds and outbounds. */
const MORE_ENTRIES = 100_000;
const COUNTED_MS = 10_000;

/** Where the collectors of traffic read and write. */
@Injectable()
export class TrafficStores {
  private users: { readonly count: Promise<number>; readonly countedAt: number } | undefined;

  constructor(
    readonly database: DataSource,
    readonly nodes: NodeTrafficRepository,
    readonly totals: NodeTotalsRepository,
    readonly readings: CounterReadingRepository,
    readonly usage: TrafficRepository,
    private readonly env: ManagementEnv,
  ) {}

  /** Mbit/s that the line of a node carries at most in each direction. */
  get lineRate(): number {
    return this.env.nodeLineRate;
  }

  /** Most entries of a node's answer that has one for each user. */
  async maxEntries(): Promise<number> {
    if (!this.users || performance.now() - this.users.countedAt > COUNTED_MS) {
      const count = this.nodes.countUsers(this.database.manager);
      const users = { count, countedAt: performance.now() };
      this.users = users;
      count.catch(() => {
        if (this.users === users) this.users = undefined;
      });
    }
    return (await this.users.count) + MORE_ENTRIES;
  }
}
