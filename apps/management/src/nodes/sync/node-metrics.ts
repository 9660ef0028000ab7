import { Injectable } from '@nestjs/common';
import { ProgramMetrics } from '@rampart/program';
import { DataSource } from 'typeorm';
import { newestUserRevision } from '../../user-store/served/newest-revision.js';
import type { NodeFigures } from './node-figures.js';
import { type NodeRow, NodeSyncRepository } from './node-sync.repository.js';
import { NodeSyncManager } from './node-sync-manager.js';

/**
 * The figures of nodes. Each replica tells those of the nodes that it serves, so that no node is told twice. Nodes are
 * few, so their names may be labels.
 */
@Injectable()
export class NodeMetrics {
  private readonly connected = this.perNode('rampart_node_connected', 'Whether the node is connected: 1 or 0.');
  private readonly lagRevisions = this.perNode(
    'rampart_node_sync_lag_revisions',
    'By how many revisions the node is behind the newest change of users.',
  );
  private readonly lagSeconds = this.perNode(
    'rampart_node_sync_lag_seconds',
    'For how long the node has been behind; 0 while it has every change of users.',
  );
  private readonly corePending = this.perNode(
    'rampart_node_core_pending',
    'Whether the node waits for a restart with the current configuration of its core: 1 or 0.',
  );
  private readonly refused = this.perNode('rampart_node_refused_users', 'Users whom the node has refused.');
  private readonly fullSetPause = this.perNode(
    'rampart_node_full_set_pause_seconds',
    'For how long the node gets no full set of users, because it has needed too many; 0: it gets one when it needs it.',
  );
  private readonly drift = this.metrics.counter({
    name: 'rampart_node_drift_total',
    help: 'How often the node held other users than it should, and was sent the full set.',
    labelNames: ['node'],
  });
  private readonly implausible = this.metrics.counter({
    name: 'rampart_node_implausible_total',
    help: 'How often the node reported traffic that was not counted, because it cannot have carried it.',
    labelNames: ['node'],
  });
  private readonly traffic = this.metrics.counter({
    name: 'rampart_node_traffic_bytes_total',
    help: 'Bytes that were collected from the node; uplink is what users have sent.',
    labelNames: ['node', 'direction'],
  });
  constructor(
    private readonly metrics: ProgramMetrics,
    private readonly manager: NodeSyncManager,
    private readonly nodes: NodeSyncRepository,
    private readonly database: DataSource,
  ) {
    const { connected, lagRevisions, lagSeconds, corePending, refused, fullSetPause, drift, implausible, traffic } =
      this;
    const gauges = [connected, lagRevisions, lagSeconds, corePending, refused, fullSetPause];
    const series = [...gauges, drift, implausible, traffic];
    metrics.readAtScrape('nodes', series, () => this.readNodes());
  }

  private perNode(name: string, help: string) {
    return this.metrics.gauge({ name, help, labelNames: ['node'] });
  }

  private async readNodes(): Promise<void> {
    const figures = new Map(this.manager.figures.map((one) => [one.nodeId, one]));
    if (figures.size === 0) return;
    const newest = await newestUserRevision(this.database.manager);
    for (const node of await this.nodes.findFigures(this.database.manager, [...figures.keys()])) {
      const own = figures.get(node.id);
      if (own) this.set(node, own, newest);
    }
  }

  private set(
    { name, status, syncedRevision, corePending, uplink, downlink, driftCount, implausibleCount }: NodeRow,
    { behindSeconds, refusedUsers, fullSetPauseSeconds }: NodeFigures,
    newest: bigint,
  ): void {
    const node = { node: name };
    const lag = Number(newest - syncedRevision);
    this.connected.set(node, status === 'connected' ? 1 : 0);
    this.lagRevisions.set(node, Math.max(lag, 0));
    this.lagSeconds.set(node, lag > 0 ? behindSeconds : 0);
    this.corePending.set(node, corePending ? 1 : 0);
    this.refused.set(node, refusedUsers);
    this.fullSetPause.set(node, fullSetPauseSeconds);
    this.drift.inc(node, driftCount);
    this.implausible.inc(node, implausibleCount);
    this.traffic.inc({ ...node, direction: 'uplink' }, uplink);
    this.traffic.inc({ ...node, direction: 'downlink' }, downlink);
  }
}
