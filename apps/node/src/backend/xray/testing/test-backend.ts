import { rmSync } from 'node:fs';
import { type DeepPartial, User } from '@rampart/node-client';
import type { NodeSettings } from '../../../env/node.settings.js';
import { enginePids } from '../../../testing/engine-pids.js';
import { MovableClock } from '../../../testing/movable-clock.js';
import { testSettings } from '../../../testing/nodes/test-node.js';
import { type RawUser, scanUser } from '../../../wire/raw-user.js';
import type { TrafficBytes, TrafficReading } from '../../backend.js';
import { XrayBackend } from '../xray.backend.js';

/** A backend with the real engine, and everything that it reported. */
export class BackendFixture {
  readonly lines: string[] = [];
  /** Bytes of each user in all readings. */
  readonly traffic = new Map<string, TrafficBytes>();
  readonly backend: XrayBackend;
  /** The clock by which its engine is supervised. */
  readonly clock = new MovableClock();
  private readonly settings: NodeSettings;

  constructor(others: Partial<NodeSettings> = {}) {
    this.settings = { ...testSettings(), clock: this.clock, ...others };
    this.backend = new XrayBackend(this.settings, {
      log: (line) => this.lines.push(line),
      lastTraffic: (reading) => this.addTraffic(reading),
    });
  }

  start(config: object, users: readonly DeepPartial<User>[] = []) {
    return this.backend.start({ text: JSON.stringify(config), excludedInbounds: [] }, rawUsers(users));
  }

  /** Reads the traffic of all its engines into `traffic`. */
  async readTraffic(): Promise<void> {
    for (const reading of await this.backend.readTraffic()) this.addTraffic(reading);
  }

  /** Process ids of its engines. */
  pids(): Promise<number[]> {
    return enginePids(this.settings.dataDir);
  }

  /** Log lines of the backend itself. */
  get notes(): string[] {
    return this.lines.filter((line) => line.startsWith('[rampart] '));
  }

  private addTraffic({ users }: TrafficReading): void {
    for (const [email, { uplink, downlink }] of users) {
      const sum = this.traffic.get(email) ?? { uplink: 0n, downlink: 0n };
      this.traffic.set(email, { uplink: sum.uplink + uplink, downlink: sum.downlink + downlink });
    }
  }

  async close(): Promise<void> {
    await this.backend.stop();
    rmSync(this.settings.dataDir, { recursive: true, force: true });
  }
}

export function rawUsers(users: readonly DeepPartial<User>[]): RawUser[] {
  return users.map((user) => scanUser(User.encode(User.fromPartial(user)).finish()));
}
