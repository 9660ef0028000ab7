import type { ProgramMetrics } from './program-metrics.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The limits are in seconds. Each further bucket is one more series for each route, method and status class. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 2.5, 10];

/** One answered request. */
export interface AnsweredRequest {
  /** The pattern of the route, such as `/sub/:token`; undefined when no route matched. Never the path itself. */
  readonly route: string | undefined;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

/** Returns a function that records the duration of requests, by route pattern, method and class of the status. */
export function requestDurations(metrics: ProgramMetrics): (request: AnsweredRequest) => void {
  const durations = metrics.histogram({
    name: 'rampart_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer, without event streams.',
    labelNames: ['route', 'method', 'status'],
    buckets: BUCKETS,
  });
  return ({ route = 'unknown', method, status, seconds }) =>
    durations.observe(
      { route, method: METHODS.has(method) ? method : 'other', status: `${Math.floor(status / 100)}xx` },
      seconds,
    );
}
