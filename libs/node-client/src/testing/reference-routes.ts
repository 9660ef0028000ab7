import { NodeServiceService as rpc } from '../gen/service.js';
import { isBefore } from './reference-version.js';

/** The calls of the reference node by REST route and RPC, without the log. It has none that only Rampart has. */
const ROUTES = {
  'POST /start': rpc.start,
  'PUT /stop': rpc.stop,
  'GET /info': rpc.getBaseInfo,
  'GET /stats': rpc.getStats,
  'GET /stats/system': rpc.getSystemStats,
  'GET /stats/backend': rpc.getBackendStats,
  'GET /stats/latency': rpc.getOutboundsLatency,
  'GET /stats/user/online': rpc.getUserOnlineStats,
  'GET /stats/user/online_ip': rpc.getUserOnlineIpListStats,
  'PUT /user/sync': rpc.syncUser,
  'PUT /users/sync': rpc.syncUsers,
  'PUT /users/sync/chunked': rpc.syncUsersChunked,
} as const;
export type ReferenceRoute = keyof typeof ROUTES;

/** One call to the node. */
export interface ReferenceCall {
  readonly key: string | undefined;
  readonly route: ReferenceRoute;
  readonly body: Buffer;
  readonly byGrpc: boolean;
  /** Aborts when the client gives the call up. */
  readonly broken: AbortSignal;
}

/** The calls that a version of the reference node has. */
export function routesOf(version: string): Partial<typeof ROUTES> {
  const { 'PUT /users/sync/chunked': chunked, 'GET /stats/latency': latency, ...always } = ROUTES;
  return {
    ...always,
    ...(!isBefore(version, 2) && { 'PUT /users/sync/chunked': chunked }),
    ...(!isBefore(version, 4, 1) && { 'GET /stats/latency': latency }),
  };
}
