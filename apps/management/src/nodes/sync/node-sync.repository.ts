import { Injectable } from '@nestjs/common';
import { type EntityManager, In, Not } from 'typeorm';
import { preparedIn } from '../../database/prepared.js';
import { Node } from '../store/node.entity.js';
import type { ImplausibleTraffic } from '../traffic/traffic-recorder.js';

const FIGURES = {
  id: true,
  name: true,
  status: true,
  syncedRevision: true,
  corePending: true,
  uplink: true,
  downlink: true,
  driftCount: true,
  implausibleCount: true,
} as const;

const START_REVISIONS = { name: 'start_revisions', text: 'SELECT id, start_revision FROM nodes' };

/** Traffic is recorded under the lock of its node's row, which may take long. */
const SET_SYNCED_REVISIONS = {
  name: 'set_synced_revisions',
  text: `WITH free AS (
      SELECT nodes.id, synced.revision FROM nodes JOIN unnest($1::integer[], $2::bigint[]) AS synced (id, revision)
        ON synced.id = nodes.id ORDER BY nodes.id FOR NO KEY UPDATE OF nodes SKIP LOCKED
    ), written AS (
      UPDATE nodes SET synced_revision = free.revision FROM free
      WHERE nodes.id = free.id AND nodes.synced_revision < free.revision
    )
    SELECT id FROM nodes WHERE id = ANY ($1) AND id NOT IN (SELECT id FROM free)`,
};

/** The columns of a node that metrics show. */
export type NodeRow = Pick<Node, keyof typeof FIGURES>;

/** What a worker reports about its node. */
export type NodeReport = Pick<Node, 'status' | 'message' | 'messageCode'> &
  Partial<Pick<Node, 'coreVersion' | 'nodeVersion' | 'certificateExpiresAt'>>;

/** The statements of the sync workers on the rows of their nodes. */
@Injectable()
export class NodeSyncRepository {
  /** The node as a connection is opened to it. @throws EntityNotFoundError when it was deleted */
  findNodeToConnect(manager: EntityManager, id: number): Promise<Node> {
    return manager.findOneByOrFail(Node, { id });
  }

  /** Reads for each node the revision from which it must have been started. */
  async findStartRevisions(manager: EntityManager): Promise<ReadonlyMap<number, bigint>> {
    const rows = await preparedIn(manager)<{ id: number; start_revision: string }>(START_REVISIONS, []);
    return new Map(rows.map(({ id, start_revision }) => [id, BigInt(start_revision)]));
  }

  /** Before a Start, which the node may carry out or not: until its answer it may have these inbounds and those before. */
  async prepareStart(manager: EntityManager, id: number, inboundTags: readonly string[]): Promise<void> {
    await manager.query(
      `UPDATE nodes SET inbound_tags = ARRAY (SELECT DISTINCT unnest(inbound_tags || $2::text[]))
       WHERE id = $1 AND NOT inbound_tags @> $2::text[]`,
      [id, inboundTags],
    );
  }

  /**
   * After a Start, which has sent all users of the revision: the node has these inbounds alone. A core stays pending where the
   * node is pinned to an older one or must be started again.
   */
  async markStarted(
    manager: EntityManager,
    id: number,
    { revision, inboundTags }: { revision: bigint; inboundTags: readonly string[] },
  ): Promise<void> {
    await manager.query(
      `WITH lost AS (
         INSERT INTO past_node_tags (node_id, tag, until)
         SELECT DISTINCT id, tag, now() FROM nodes, unnest(inbound_tags) AS tag WHERE id = $1 AND tag <> ALL ($2::text[])
         ON CONFLICT (node_id, tag) DO UPDATE SET until = excluded.until
       )
       UPDATE nodes SET core_pending = pinned_core_sealed IS NOT NULL OR start_revision > $3::bigint, synced_revision = $3,
         inbound_tags = $2
       WHERE id = $1`,
      [id, inboundTags, revision.toString()],
    );
  }

  /** The last traffic of the node that was not counted, if that is not long ago. */
  async findImplausible(manager: EntityManager, id: number): Promise<ImplausibleTraffic | undefined> {
    const columns = { id: true, implausibleMessage: true, implausibleFoundAt: true } as const;
    const row = await manager.findOne(Node, { select: columns, where: { id } });
    if (!row?.implausibleMessage || !row.implausibleFoundAt) return undefined;
    return { message: row.implausibleMessage, foundAt: row.implausibleFoundAt };
  }

  /**
   * Every change of users up to its revision has reached each of these nodes. A node that another replica has brought further
   * meanwhile stays as it is. Returns the ids of nodes that were left out,
   * because others have locked their rows.
   */
  async setSyncedRevisions(manager: EntityManager, revisions: ReadonlyMap<number, bigint>): Promise<number[]> {
    const values = [[...revisions.keys()], [...revisions.values()].map(String)];
    return (await preparedIn(manager)<{ id: number }>(SET_SYNCED_REVISIONS, values)).map(({ id }) => id);
  }

  /** The columns that metrics show, of these nodes. */
  findFigures(manager: EntityManager, ids: readonly number[]): Promise<NodeRow[]> {
    return manager.find(Node, { select: FIGURES, where: { id: In(ids) } });
  }

  /** The node was found to hold other users than it should. */
  async countDrift(manager: EntityManager, id: number): Promise<void> {
    await manager.update(Node, { id }, { driftCount: () => 'drift_count + 1', driftFoundAt: () => 'now()' });
  }

  /** A disabled node stays disabled: its worker may hear later than anybody else that it was disabled. */
  async writeReport(manager: EntityManager, id: number, report: NodeReport): Promise<void> {
    await manager.update(Node, { id, status: Not('disabled') }, report);
  }
}
