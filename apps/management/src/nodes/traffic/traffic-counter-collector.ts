import type { CallOptions, NodeClient } from '@rampart/node-client';
import type { EntityManager } from 'typeorm';
import { CounterReading } from './counter-reading.entity.js';
import { type EngineCounters, readEngineCounters, type TrafficBytes } from './read-engine-counters.js';
import type { TrafficRecorder } from './traffic-recorder.js';

/** A counter that is smaller than before began anew, and so did all of another engine ($5). Absent ones are forgotten. */
const STORE_COUNTERS = `
  WITH counters AS (
    SELECT * FROM unnest($2::integer[], $3::bigint[], $4::bigint[]) AS now (user_id, uplink, downlink)
  ),
  changed AS (
    SELECT user_id, now.uplink, now.downlink,
      now.uplink - CASE WHEN $5 OR now.uplink < known.uplink THEN 0 ELSE coalesce(known.uplink, 0) END AS up,
      now.downlink - CASE WHEN $5 OR now.downlink < known.downlink THEN 0 ELSE coalesce(known.downlink, 0) END AS down
    FROM counters AS now
    FULL JOIN (SELECT * FROM user_counters WHERE node_id = $1) AS known USING (user_id)
    WHERE $5 OR (now.uplink, now.downlink) IS DISTINCT FROM (known.uplink, known.downlink)
  ),
  forgotten AS (
    DELETE FROM user_counters USING changed
    WHERE node_id = $1 AND user_counters.user_id = changed.user_id AND changed.uplink IS NULL
  ),
  stored AS (
    INSERT INTO user_counters (node_id, user_id, uplink, downlink)
    SELECT $1, user_id, uplink, downlink FROM changed WHERE uplink IS NOT NULL
    ON CONFLICT (node_id, user_id) DO UPDATE SET uplink = excluded.uplink, downlink = excluded.downlink
  )
  SELECT user_id, up + down AS bytes FROM changed WHERE up + down > 0`;

const DELETE_READING = 'DELETE FROM counter_readings WHERE node_id = $1';
const DELETE_COUNTERS = 'DELETE FROM user_counters WHERE node_id = $1';

/** Whose counters are read. */
export interface CounterSource {
  /** A node that has moved is another one: its counters continue no others. */
  readonly address: string;
  /** Whether it counts since we have started it: what it has counted before is nobody's traffic. */
  readonly countsSinceOurStart: boolean;
}

interface Reading extends EngineCounters, CounterSource {
  readonly readAt: Date;
  /** The number of the reading that was the last one before this was read. */
  readonly before: bigint | undefined;
}

/**
 * Books by how much the counters of a node have grown since they were last read, for a node without CollectTraffic. They
 * are never reset, so an answer that gets lost loses nothing.
 */
export class TrafficCounterCollector {
  /** How many users the last reading had. */
  userCount = 0;

  constructor(private readonly account: TrafficRecorder) {}

  async collect(client: NodeClient, options: CallOptions, source: CounterSource): Promise<void> {
    await this.account.readState();
    const before = await this.lastReading(this.account.database.manager);
    const readAt = new Date();
    const counters = await readEngineCounters(client, options);
    this.userCount = counters?.users.size ?? 0;
    if (counters) await this.store({ ...counters, ...source, readAt, before: before?.number });
  }

  /** For a node that seals batches: what is read of it later, as of another kind, would be no continuation. */
  deleteReadings(): Promise<void> {
    return this.account.database.transaction(async (manager) => {
      for (const statement of [DELETE_READING, DELETE_COUNTERS]) await manager.query(statement, [this.account.nodeId]);
    });
  }

  private lastReading(manager: EntityManager): Promise<CounterReading | null> {
    return manager.findOneBy(CounterReading, { nodeId: this.account.nodeId });
  }

  private store({ before, countsSinceOurStart, users, ...reading }: Reading): Promise<void> {
    const { nodeId } = this.account;
    return this.account.update(async ({ manager, state, isDeleted, recordTraffic }) => {
      const stored = await this.lastReading(manager);
      // Another replica has stored one meanwhile, perhaps a later one: the next reading has everything.
      if (stored?.number !== before) return state;
      // Without the last reading nobody knows what of it is booked.
      if (!stored && isDeleted) return state;
      const last = stored?.address === reading.address ? stored : null;
      const isAnew = !last || reading.uptime < last.engineUptime;
      const bytesByUser = await storeCounters(manager, nodeId, users, isAnew);
      const { uplink, downlink } = growth(reading.outbounds, isAnew ? null : last);
      if (last || countsSinceOurStart)
        await recordTraffic({ bytesByUser, uplink, downlink, sealedAt: undefined, since: last?.readAt ?? null });
      const { address, readAt, uptime: engineUptime, outbounds } = reading;
      const number = (before ?? 0n) + 1n;
      await manager.upsert(CounterReading, { nodeId, number, address, readAt, engineUptime, ...outbounds }, ['nodeId']);
      return state;
    });
  }
}

async function storeCounters(
  manager: EntityManager,
  nodeId: number,
  users: ReadonlyMap<number, TrafficBytes>,
  isAnew: boolean,
): Promise<Map<number, bigint>> {
  const bytes = [...users.values()];
  const grown = await manager.query<{ user_id: number; bytes: string }[]>(STORE_COUNTERS, [
    nodeId,
    [...users.keys()],
    bytes.map(({ uplink }) => String(uplink)),
    bytes.map(({ downlink }) => String(downlink)),
    isAnew,
  ]);
  return new Map(grown.map((row) => [row.user_id, BigInt(row.bytes)]));
}

const growth = (now: TrafficBytes, last: TrafficBytes | null): TrafficBytes => ({
  uplink: last && now.uplink >= last.uplink ? now.uplink - last.uplink : now.uplink,
  downlink: last && now.downlink >= last.downlink ? now.downlink - last.downlink : now.downlink,
});
