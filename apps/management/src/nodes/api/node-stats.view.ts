import type { SystemStatsResponse } from '@rampart/node-client';
import type { NodeStatsView } from './node-live.dto.js';

/** The statistics of a node's machine as the API shows them. */
export const nodeStatsView = (stats: SystemStatsResponse): NodeStatsView => ({
  mem_total: Number(stats.memTotal),
  mem_used: Number(stats.memUsed),
  cpu_cores: Number(stats.cpuCores),
  cpu_usage: stats.cpuUsage,
  incoming_bandwidth_speed: Number(stats.incomingBandwidthSpeed),
  outgoing_bandwidth_speed: Number(stats.outgoingBandwidthSpeed),
  uptime: Number(stats.uptime),
});
