import { Health, MetricsServer, ProgramMetrics } from '@rampart/program';
import type { NodeEnv } from '../env/node-env.js';
import type { NodeMonitor } from '../node.monitor.js';
import { NODE_VERSION } from '../node.version.js';
import { addNodeMetrics } from './node-metrics.js';

/** The metrics of a node's process; undefined where the settings name no port for them. */
export function createNodeMetrics({ metricsPort, dataDir }: NodeEnv): ProgramMetrics | undefined {
  if (metricsPort === undefined) return undefined;
  const metrics = new ProgramMetrics();
  metrics.addProcess({ program: 'node', version: NODE_VERSION, dataDir });
  return metrics;
}

/** The server for the metrics and the health of a node. It does not listen yet. */
export function createMetricsServer(metrics: ProgramMetrics, monitor: NodeMonitor, { metricsToken: token }: NodeEnv) {
  addNodeMetrics(metrics, monitor);
  return new MetricsServer({ metrics, health: new Health(monitor.checks), token });
}
