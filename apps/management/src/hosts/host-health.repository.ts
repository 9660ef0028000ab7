import { Injectable } from '@nestjs/common';
import { Any, type EntityManager } from 'typeorm';
import { HostHealth, type HostState } from './host-health.entity.js';
import { HostProbe, type HostProbeColumns } from './host-probe.entity.js';
import { NO_FAULT } from './probe-problems.js';

/** How many results are kept for each host and viewpoint. */
const KEPT_RESULTS = 200;
/** Results of nodes that no longer probe are kept for this time. */
const KEPT_DAYS = 30;

/** What a round of probes has found about one host. */
export interface HostRound {
  readonly hostId: number;
  readonly checkedAt: Date;
  readonly status: HostState;
  readonly digest: string;
  readonly message: string;
  readonly results: readonly HostProbeColumns[];
}

/** One round in the history of a host, as seen from one viewpoint. */
export interface HostRoundSummary {
  host_id: number;
  node_id: number | null;
  checked_at: Date;
  passed: number;
  failed: number;
  handshake_ms: number | null;
  first_byte_ms: number | null;
  bytes_per_second: number | null;
}

/** The statements on the state of hosts and on the results of their probes. */
@Injectable()
export class HostHealthRepository {
  /** Reads the health of these hosts, or of all hosts where no ids are given. */
  findHealth(manager: EntityManager, hostIds?: readonly number[]): Promise<HostHealth[]> {
    return manager.find(HostHealth, { ...(hostIds && { where: { hostId: Any(hostIds) } }), order: { hostId: 'ASC' } });
  }

  /** The results of the last round of each host. */
  findLastResults(manager: EntityManager, hostIds: readonly number[]): Promise<HostProbe[]> {
    return manager
      .createQueryBuilder(HostProbe, 'probe')
      .innerJoin(HostHealth, 'health', 'health.hostId = probe.hostId AND health.checkedAt = probe.checkedAt')
      .where('probe.hostId = ANY (:hostIds)', { hostIds })
      .orderBy('probe.id')
      .getMany();
  }

  /** The newest rounds of each host, at most `rounds` of them. */
  findHistory(manager: EntityManager, hostIds: readonly number[], rounds: number): Promise<HostRoundSummary[]> {
    return manager.query(
      `SELECT host_id, node_id, checked_at,
         count(*) FILTER (WHERE problem IS NULL)::integer AS passed,
         count(*) FILTER (WHERE problem IS NOT NULL)::integer AS failed,
         min(nullif(handshake_ms, 0)) AS handshake_ms, min(nullif(first_byte_ms, 0)) AS first_byte_ms,
         max(nullif(bytes_per_second, 0))::double precision AS bytes_per_second
       FROM unnest($1::integer[]) AS wanted (id)
       CROSS JOIN LATERAL (
         SELECT DISTINCT host_id, checked_at FROM host_probes WHERE host_id = wanted.id
         ORDER BY checked_at DESC LIMIT $2
       ) AS round
       JOIN host_probes USING (host_id, checked_at)
       GROUP BY host_id, node_id, checked_at ORDER BY host_id, checked_at DESC, node_id`,
      [hostIds, rounds],
    );
  }

  /**
   * Claims hosts for a round. Returns those that no other replica has claimed, or has probed since `lookedAt`, when the
   * caller began to look which hosts are due.
   */
  async claimHosts(
    manager: EntityManager,
    hostIds: readonly number[],
    seconds: number,
    lookedAt: Date,
  ): Promise<number[]> {
    const rows = await manager.query<{ host_id: number }[]>(
      `INSERT INTO host_health AS known (host_id, status, since, checked_at, claimed_until)
       SELECT id, 'unknown', now(), now(), now() + make_interval(secs => $2) FROM hosts WHERE id = ANY ($1) ORDER BY id
       ON CONFLICT (host_id) DO UPDATE SET claimed_until = excluded.claimed_until
         WHERE (known.claimed_until IS NULL OR known.claimed_until < now()) AND known.checked_at <= $3
       RETURNING host_id`,
      [hostIds, seconds, lookedAt],
    );
    return rows.map(({ host_id }) => host_id);
  }

  /** Stores a round; a host that was deleted meanwhile is left out. */
  async recordRound(manager: EntityManager, round: HostRound): Promise<void> {
    const { hostId, checkedAt, status, digest, message, results } = round;
    const [stored] = await manager.query<object[]>(
      `INSERT INTO host_health AS known (host_id, status, since, checked_at, failed_rounds, digest, message)
       SELECT id, $2::varchar, $3::timestamptz, $3::timestamptz, CASE WHEN $2::varchar = 'fails' THEN 1 ELSE 0 END, $4, $5
       FROM hosts WHERE id = $1
       ON CONFLICT (host_id) DO UPDATE SET
         status = excluded.status, checked_at = excluded.checked_at, digest = excluded.digest, message = excluded.message,
         claimed_until = NULL,
         since = CASE WHEN known.status = excluded.status THEN known.since ELSE excluded.since END,
         failed_rounds = CASE WHEN excluded.status = 'fails' THEN known.failed_rounds + 1 ELSE 0 END
       RETURNING host_id`,
      [hostId, status, checkedAt, digest, message],
    );
    if (!stored) return;
    await manager.insert(
      HostProbe,
      results.map((result) => ({ ...result, hostId, checkedAt })),
    );
    await manager.query(
      `DELETE FROM host_probes WHERE host_id = $1 AND id IN (
         SELECT id FROM (
           SELECT id, checked_at, row_number() OVER (PARTITION BY node_id ORDER BY id DESC) AS place
           FROM host_probes WHERE host_id = $1
         ) AS ranked WHERE place > ${KEPT_RESULTS} OR checked_at < now() - interval '${KEPT_DAYS} days'
       )`,
      [hostId],
    );
  }

  /**
   * Decides anew which hosts subscriptions leave out: those that have failed in so many rounds and recently, as long as
   * another host passes. No node's word is enough for that: two must have seen each place of the host fail, or management
   * itself. Returns how many have changed.
   */
  async updateLeftOut(
    manager: EntityManager,
    { failures, withinSeconds }: { failures: number; withinSeconds: number },
  ): Promise<number> {
    const changed = await manager.query<object[]>(
      `WITH recent AS (SELECT * FROM host_health WHERE checked_at > now() - make_interval(secs => $2)),
       confirmed AS (
         SELECT host_id FROM (
           SELECT host_id, count(DISTINCT node_id) > 1 OR bool_or(node_id IS NULL) AS is_confirmed
           FROM host_probes JOIN recent USING (host_id)
           WHERE recent.status = 'fails' AND problem <> ALL ($3)
             AND host_probes.checked_at >= greatest(recent.since, now() - make_interval(secs => $2))
           GROUP BY host_id, address, port, server_name
         ) places GROUP BY host_id HAVING bool_and(is_confirmed)
       ),
       wanted AS (
         SELECT known.host_id, coalesce(recent.status = 'fails' AND recent.failed_rounds >= $1, false)
           AND known.host_id IN (SELECT host_id FROM confirmed)
           AND EXISTS (SELECT FROM recent AS others WHERE others.status IN ('works', 'partly')) AS left_out
         FROM host_health AS known LEFT JOIN recent ON recent.host_id = known.host_id
       ),
       changed AS (
         UPDATE host_health SET left_out = wanted.left_out FROM wanted
         WHERE wanted.host_id = host_health.host_id AND host_health.left_out <> wanted.left_out
         RETURNING host_health.host_id
       )
       SELECT host_id FROM changed`,
      [failures, withinSeconds, NO_FAULT],
    );
    return changed.length;
  }

  /** The hosts that subscriptions leave out where the settings say so. */
  async leftOutIds(manager: EntityManager): Promise<Set<number>> {
    const rows = await manager.findBy(HostHealth, { leftOut: true });
    return new Set(rows.map(({ hostId }) => hostId));
  }
}
