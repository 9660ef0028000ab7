/** The machine of a node at this moment. */
export interface NodeStatsView {
  /** Bytes of memory. */
  mem_total: number;
  /** Bytes of memory in use. */
  mem_used: number;
  /** The number of processors. */
  cpu_cores: number;
  /**
   * The load of all processors in percent.
   * @decimal
   */
  cpu_usage: number;
  /** Bytes per second that the machine receives. */
  incoming_bandwidth_speed: number;
  /** Bytes per second that the machine sends. */
  outgoing_bandwidth_speed: number;
  /** Seconds since the machine's start. */
  uptime: number;
}

/** Answers by the id of the node. */
export type ByNode<T> = Record<string, T>;

/** The oldest version of nodes that management supports. */
export const NODE_SETTINGS = { min_node_version: 'v0.1.0' };
export type NodeSettingsView = typeof NODE_SETTINGS;
