import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { HostState } from '../hosts/host-health.entity.js';
import { HostHealthRepository } from '../hosts/host-health.repository.js';
import type { Snapshot } from './host-snapshot.js';

/** For this time the states that were read are shown: rounds of probes are minutes apart. */
const HELD_MS = 15_000;
/** After this number of rounds that should have been and were not, a state says nothing any more. */
const FRESH_ROUNDS = 3;

export type ServerStates = ReadonlyMap<number, HostState>;

const NONE: ServerStates = new Map();

/** What the last round of probes has found, for the pages of users. */
@Injectable()
export class ServerStateReader {
  private held?: { readonly until: number; readonly states: Promise<ServerStates> };

  constructor(
    private readonly database: DataSource,
    private readonly health: HostHealthRepository,
  ) {}

  /** The states of hosts by id; none where no rounds of probes run. Many pages share one query. */
  async states({ probes }: Snapshot, now: Date): Promise<ServerStates> {
    if (probes.every_minutes === 0) return NONE;
    const time = now.getTime();
    if (!this.held || this.held.until <= time) {
      const states = this.read(time - FRESH_ROUNDS * probes.every_minutes * 60_000);
      const held = { until: time + HELD_MS, states };
      this.held = held;
      // A failure is answered to those who wait for it, and the next page reads again.
      states.catch(() => {
        if (this.held === held) delete this.held;
      });
    }
    return this.held.states;
  }

  private async read(since: number): Promise<ServerStates> {
    const rows = await this.health.findHealth(this.database.manager);
    return new Map(
      rows.flatMap(({ hostId, status, checkedAt }) => (checkedAt.getTime() > since ? [[hostId, status] as const] : [])),
    );
  }
}
