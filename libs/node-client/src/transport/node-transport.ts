import type { NodeClientOptions } from '../api/node-client.js';
import { type Log, NodeServiceService as rpc, type User, type UsersChunk } from '../gen/service.js';
import { encodeBackend, encodeUsers, type WithUsers } from '../messages/users-message.js';

/** The options that a transport needs. */
export type TransportOptions = Pick<NodeClientOptions, 'host' | 'address' | 'port' | 'apiKey' | 'tls' | 'requestId'>;

/** A call with one request and one response, with its names in both transports. */
export interface UnaryCall<Q, R> {
  /** The path of the gRPC method. */
  readonly path: string;
  readonly requestSerialize: (request: Q) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => R;
  /** The HTTP method. `QUERY` is a GET with a body, which intermediaries may drop: Rampart nodes accept POST instead. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'QUERY';
  /** The path of the REST route. */
  readonly route: string;
  /** Most fields of the answer, of which each entry of a list is one: with more it is `TOO_LARGE`. */
  readonly maxFields: number;
  /** Has the fields beyond the limit left out instead, and told how many they are. */
  readonly leftOut?: (fields: number) => void;
}

/** Most fields of an answer without lists. */
const FEW = 100;
/** Most entries of a list that has one for each user, unless the caller says how many there are. */
const FOR_EACH_USER = 1_000_000;
/** Most refused users and warnings: a node reports them at each look at it. */
const MAX_REFUSED = 250_000;
const MAX_ADDRESSES = 10_000;
const MAX_LATENCIES = 10_000;

/** All calls with one request and one response. */
export const CALLS = {
  start: { ...rpc.start, requestSerialize: encodeBackend, method: 'POST', route: '/start', maxFields: MAX_REFUSED },
  stop: { ...rpc.stop, method: 'PUT', route: '/stop', maxFields: FEW },
  info: { ...rpc.getBaseInfo, method: 'GET', route: '/info', maxFields: MAX_REFUSED },
  stats: { ...rpc.getStats, method: 'QUERY', route: '/stats', maxFields: FOR_EACH_USER },
  systemStats: { ...rpc.getSystemStats, method: 'GET', route: '/stats/system', maxFields: FEW },
  backendStats: { ...rpc.getBackendStats, method: 'GET', route: '/stats/backend', maxFields: FEW },
  userOnline: { ...rpc.getUserOnlineStats, method: 'QUERY', route: '/stats/user/online', maxFields: FEW },
  userOnlineIps: {
    ...rpc.getUserOnlineIpListStats,
    method: 'QUERY',
    route: '/stats/user/online_ip',
    maxFields: MAX_ADDRESSES,
  },
  onlineUsers: { ...rpc.getOnlineUsers, method: 'GET', route: '/stats/users/online', maxFields: FOR_EACH_USER },
  latencies: { ...rpc.getOutboundsLatency, method: 'QUERY', route: '/stats/latency', maxFields: MAX_LATENCIES },
  syncUsers: { ...rpc.syncUsers, requestSerialize: encodeUsers, method: 'PUT', route: '/users/sync', maxFields: FEW },
  collectTraffic: { ...rpc.collectTraffic, method: 'POST', route: '/traffic/collect', maxFields: FOR_EACH_USER },
  requestCertificate: { ...rpc.requestCertificate, method: 'POST', route: '/certificate/request', maxFields: FEW },
  installCertificate: { ...rpc.installCertificate, method: 'PUT', route: '/certificate', maxFields: FEW },
  probe: { ...rpc.probe, method: 'POST', route: '/probe', maxFields: FEW },
} as const;

/** The connection to one node. When a call must end, its signal is aborted with the NodeClientError that it then throws. */
export interface NodeTransport {
  /** Whether there is an open connection now. */
  readonly connected: boolean;
  unary<Q, R extends object>(call: UnaryCall<Q, R>, request: Q, signal: AbortSignal): Promise<R>;
  syncUser(users: AsyncIterable<User>, signal: AbortSignal): Promise<void>;
  syncUsersChunked(chunks: AsyncIterable<WithUsers<UsersChunk>>, signal: AbortSignal): Promise<void>;
  /**
   * Log lines after a sequence number; 0 = all that the node has. `opened` is called when the node has accepted the call.
   */
  logs(after: bigint, signal: AbortSignal, opened: () => void): AsyncIterable<Log>;
  close(): Promise<void>;
}

/** The name of the REST header and gRPC metadata that holds the last sequence number that a log reader has seen. */
export const LAST_EVENT_ID = 'last-event-id';
