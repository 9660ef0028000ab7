import { status as grpcStatus } from '@grpc/grpc-js';
import type { ProgramMetrics } from '@rampart/program';
import type { NodeMonitor } from '../node.monitor.js';

/** Adds the figures of the engine, its users and its traffic. */
export function addNodeMetrics(metrics: ProgramMetrics, monitor: NodeMonitor): void {
  const gauge = (name: string, help: string) => metrics.gauge({ name, help });
  const running = gauge('rampart_engine_running', 'Whether the engine runs: 1 or 0.');
  const wanted = gauge('rampart_engine_wanted', 'Whether the engine should run, because management has started it.');
  const fallback = gauge(
    'rampart_engine_fallback',
    'Whether the engine kept failing with what management asked for, so that the last state that worked is used: 1 or 0.',
  );
  const draining = gauge('rampart_engine_draining', 'Replaced engines that still have connections.');
  const served = gauge('rampart_engine_users', 'Users that the engine serves.');
  const refused = gauge('rampart_engine_refused_users', 'Users that were refused by the last calls.');
  const online = gauge('rampart_engine_online_users', 'Users that are connected to the engine now.');
  const memory = metrics.gauge({
    name: 'rampart_engine_memory_bytes',
    help: 'Resident memory of the engine that serves, and of those that only drain.',
    labelNames: ['engine'],
  });
  const accepting = gauge(
    'rampart_engine_accepting',
    'Whether the engine takes new connections: 0 while it has no file left for one.',
  );
  const files = gauge(
    'rampart_engine_open_files',
    'Files that the engine has open: one or two for each connection of a user.',
  );
  const fileLimit = gauge('rampart_engine_open_files_limit', 'Files that the engine may have open.');
  const restarts = metrics.counter({
    name: 'rampart_engine_restarts_total',
    help: 'Restarts of the engine after it has ended unexpectedly.',
  });
  const handovers = metrics.counter({
    name: 'rampart_engine_handovers_total',
    help: 'Replacements of the engine that cut no connection, by what has changed.',
    labelNames: ['change'],
  });
  const cuts = metrics.counter({
    name: 'rampart_engine_change_restarts_total',
    help: 'Changes of the configuration that had to end the old engine, with its connections, first.',
  });
  const faults = metrics.counter({
    name: 'rampart_engine_faults_total',
    help: 'Ends of the engine by a known fault of it, after which it runs without the feature that has the fault for a time.',
    labelNames: ['fault'],
  });
  const traffic = metrics.counter({
    name: 'rampart_engine_traffic_bytes_total',
    help: 'Bytes that went through the engine; uplink is what users have sent.',
    labelNames: ['direction'],
  });
  const gauges = [running, wanted, fallback, draining, served, refused, online, memory, accepting, files, fileLimit];
  const series = [...gauges, restarts, handovers, cuts, faults, traffic];
  metrics.readAtScrape('engine', series, async () => {
    const now = await monitor.figures();
    running.set(now.running ? 1 : 0);
    wanted.set(now.wanted ? 1 : 0);
    fallback.set(now.fallback ? 1 : 0);
    draining.set(now.draining);
    served.set(now.users.served);
    refused.set(now.users.refused);
    if (now.users.online !== undefined) online.set(now.users.online);
    memory.set({ engine: 'serving' }, now.memory.serving);
    memory.set({ engine: 'draining' }, now.memory.draining);
    accepting.set(now.accepting ? 1 : 0);
    if (now.files !== undefined) {
      files.set(now.files.open);
      fileLimit.set(now.files.limit);
    }
    restarts.inc(now.restarts);
    handovers.inc({ change: 'configuration' }, now.handovers.configuration);
    handovers.inc({ change: 'users' }, now.handovers.users);
    cuts.inc(now.restartsForChanges);
    for (const [fault, count] of Object.entries(now.faults)) faults.inc({ fault }, count);
    traffic.inc({ direction: 'uplink' }, now.traffic.uplink);
    traffic.inc({ direction: 'downlink' }, now.traffic.downlink);
  });
}

/** One gRPC call that has ended. */
export interface EndedCall {
  /** The name of the method, such as `SyncUser`. */
  readonly method: string;
  readonly code: grpcStatus;
  readonly seconds: number;
  /** The id that the caller has sent. */
  readonly requestId: string | undefined;
}

/** The limits are in seconds. A Start takes as long as the engine needs. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

/** Returns a function that records the duration of gRPC calls, by method and status. */
export function callDurations(metrics: ProgramMetrics): (call: EndedCall) => void {
  const durations = metrics.histogram({
    name: 'rampart_grpc_request_duration_seconds',
    help: 'Time from a gRPC call to its answer, without open logs.',
    labelNames: ['method', 'code'],
    buckets: BUCKETS,
  });
  return ({ method, code, seconds }) => {
    if (method !== LOGS) durations.observe({ method, code: grpcStatus[code] ?? 'UNKNOWN' }, seconds);
  };
}

/** An open log lasts as long as its reader wants. */
const LOGS = 'GetLogs';
