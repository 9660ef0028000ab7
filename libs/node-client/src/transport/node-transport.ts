import type { NodeClientOptions } from '../api/node-client.js';
import { type Log, NodeServiceService as rpc, type User, type UsersChunk } from '../gen/service.js';
import { encodeBackend, encodeUsers } from '../messages/users-message.js';

export type TransportOptions = Pick<NodeClientOptions, 'host' | 'address' | 'port' | 'apiKey' | 'tls'>;

/** One request and one answer, as each transport has it. */
export interface UnaryCall<Q, R> {
  readonly path: string;
  readonly requestSerialize: (request: Q) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => R;
  /** `QUERY`: a GET with a body, which intermediaries may drop; our nodes take a POST in its place. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'QUERY';
  readonly route: string;
}

export const CALLS = {
  start: { ...rpc.start, requestSerialize: encodeBackend, method: 'POST', route: '/start' },
  stop: { ...rpc.stop, method: 'PUT', route: '/stop' },
  info: { ...rpc.getBaseInfo, method: 'GET', route: '/info' },
  stats: { ...rpc.getStats, method: 'QUERY', route: '/stats' },
  systemStats: { ...rpc.getSystemStats, method: 'GET', route: '/stats/system' },
  backendStats: { ...rpc.getBackendStats, method: 'GET', route: '/stats/backend' },
  userOnline: { ...rpc.getUserOnlineStats, method: 'QUERY', route: '/stats/user/online' },
  userOnlineIps: { ...rpc.getUserOnlineIpListStats, method: 'QUERY', route: '/stats/user/online_ip' },
  onlineUsers: { ...rpc.getOnlineUsers, method: 'GET', route: '/stats/users/online' },
  latencies: { ...rpc.getOutboundsLatency, method: 'QUERY', route: '/stats/latency' },
  syncUsers: { ...rpc.syncUsers, requestSerialize: encodeUsers, method: 'PUT', route: '/users/sync' },
  collectTraffic: { ...rpc.collectTraffic, method: 'POST', route: '/traffic/collect' },
} as const;

/** The way to one node. A signal is aborted with the NodeClientError that the call ends with. */
export interface NodeTransport {
  /** Whether there is a connection at this moment. */
  readonly connected: boolean;
  unary<Q, R>(call: UnaryCall<Q, R>, request: Q, signal: AbortSignal): Promise<R>;
  syncUser(users: AsyncIterable<User>, signal: AbortSignal): Promise<void>;
  syncUsersChunked(chunks: AsyncIterable<UsersChunk>, signal: AbortSignal): Promise<void>;
  /** Lines after a sequence number; 0 = all that the node has. `opened` is called when the node has taken the call. */
  logs(after: bigint, signal: AbortSignal, opened: () => void): AsyncIterable<Log>;
  close(): Promise<void>;
}

/** Where a log reader says what it has seen: a header over REST, metadata over gRPC. */
export const LAST_EVENT_ID = 'last-event-id';
