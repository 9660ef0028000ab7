import type { SystemStatsResponse } from '@rampart/node-client';

/** Memory in bytes, processors in percent, the network in bytes per second, the time it is up in seconds. */
export interface NodeStatsView {
  mem_total: number;
  mem_used: number;
  cpu_cores: number;
  cpu_usage: number;
  incoming_bandwidth_speed: number;
  outgoing_bandwidth_speed: number;
  uptime: number;
}

/** Answers by the id of the node. */
export type ByNode<T> = Record<string, T>;

/** The oldest nodes that management speaks with. */
export const NODE_SETTINGS = { min_node_version: 'v0.1.0' };
export type NodeSettingsView = typeof NODE_SETTINGS;

export const nodeStatsView = (stats: SystemStatsResponse): NodeStatsView => ({
  mem_total: Number(stats.memTotal),
  mem_used: Number(stats.memUsed),
  cpu_cores: Number(stats.cpuCores),
  cpu_usage: stats.cpuUsage,
  incoming_bandwidth_speed: Number(stats.incomingBandwidthSpeed),
  outgoing_bandwidth_speed: Number(stats.outgoingBandwidthSpeed),
  uptime: Number(stats.uptime),
});
