import type { CallOptions, NodeClient } from '@rampart/node-client';
import { unknownUsers } from '../../user-store/served/users-without-access.js';
import { type EngineCounters, readEngineCounters, type TrafficBytes } from './read-engine-counters.js';
import type { TrafficRecorder } from './traffic-recorder.js';

/** Uplink and downlink. */
const COUNTERS_OF_USER = 2;

/** The node whose counters are read. */
export interface CounterSource {
  /** Counters at another address do not continue those of the last reading. */
  readonly address: string;
  /** The engine counts since we have started it, so the first reading is traffic of our users. */
  readonly countsSinceOurStart: boolean;
}

interface Reading extends EngineCounters, CounterSource {
  readonly readAt: Date;
  /** The number of the last stored reading before this one was read. */
  readonly before: bigint | undefined;
}

/**
 * Records by how much the counters of a node without CollectTraffic have grown since the last reading. Counters are never
 * reset, so a lost answer loses no traffic.
 */
export class TrafficCounterCollector {
  /** Number of users in the last reading. */
  userCount = 0;
  /** The sum of the counters of users without access in the last reading: they are told when they change. */
  private strangerBytes = 0n;

  constructor(private readonly recorder: TrafficRecorder) {}

  async collectCounters(client: NodeClient, options: CallOptions, source: CounterSource): Promise<void> {
    await this.recorder.readState();
    const { readings, database } = this.recorder.stores;
    const before = await readings.findLastReading(database.manager, this.recorder.nodeId);
    const readAt = new Date();
    const maxEntries = COUNTERS_OF_USER * (await this.recorder.stores.maxEntries());
    const counters = await readEngineCounters(client, { ...options, maxEntries });
    this.userCount = counters?.users.size ?? 0;
    if (counters) await this.storeReading({ ...counters, ...source, readAt, before: before?.number });
  }

  /** For a node with batches: should its counters be read later, they would not continue an older reading. */
  deleteReadings(): Promise<void> {
    const { readings, database } = this.recorder.stores;
    return database.transaction((manager) => readings.deleteReadings(manager, this.recorder.nodeId));
  }

  private async storeReading({ before, countsSinceOurStart, users, ...reading }: Reading): Promise<void> {
    const { nodeId, stores } = this.recorder;
    const { readings } = stores;
    let strangerBytes = 0n;
    await this.recorder.update(async ({ manager, state, isDeleted, recordTraffic, findUsersWithoutAccess }) => {
      const stored = await readings.findLastReading(manager, nodeId);
      // Another replica has stored a reading meanwhile, perhaps a later one. The next reading includes this traffic.
      if (stored?.number !== before) return state;
      // Without the last reading it is unknown how much of this traffic has been recorded.
      if (!stored && isDeleted) return state;
      const last = stored?.address === reading.address ? stored : null;
      const isRestarted = !last || reading.uptime < last.engineUptime;
      const known = new Map(users);
      for (const id of await unknownUsers(manager, [...known.keys()])) known.delete(id);
      // A user who has lost access keeps the counter, since what it has counted would be new traffic later.
      const fresh = await readings.withoutCounter(manager, nodeId, [...known.keys()]);
      const strangers = await findUsersWithoutAccess(fresh);
      for (const id of strangers) known.delete(id);
      const bytesByUser = await readings.storeCounters(manager, nodeId, known, isRestarted);
      const reported = [...users].filter(([id]) => strangers.has(id)).map(([id, bytes]) => [id, sumOf(bytes)] as const);
      strangerBytes = reported.reduce((sum, [, bytes]) => sum + bytes, 0n);
      if (strangerBytes !== this.strangerBytes) for (const [id, bytes] of reported) bytesByUser.set(id, bytes);
      const { uplink, downlink } = growth(reading.outbounds, isRestarted ? null : last);
      const since = last?.readAt ?? null;
      const amount = { bytesByUser, uplink, downlink, sealedAt: undefined, since, isComplete: true, unreadEntries: 0 };
      const recorded = last || countsSinceOurStart ? await recordTraffic(amount) : state;
      const { address, readAt, uptime: engineUptime, outbounds } = reading;
      const number = (before ?? 0n) + 1n;
      await readings.storeReading(manager, { nodeId, number, address, readAt, engineUptime, ...outbounds });
      return recorded;
    });
    this.strangerBytes = strangerBytes;
  }
}

const sumOf = ({ uplink, downlink }: TrafficBytes): bigint => uplink + downlink;

/** What counters have grown by since the last reading. A counter that is smaller than before was reset: all of it is growth. */
const growth = (now: TrafficBytes, last: TrafficBytes | null): TrafficBytes => ({
  uplink: last && now.uplink >= last.uplink ? now.uplink - last.uplink : now.uplink,
  downlink: last && now.downlink >= last.downlink ? now.downlink - last.downlink : now.downlink,
});
