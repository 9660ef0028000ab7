import type { NodeClientOptions } from '../api/node-client.js';
import {
  BackendStatsResponse,
  BaseInfoResponse,
  CertificateRequest,
  Empty,
  LatencyResponse,
  type Log,
  type MessageFns,
  OnlineStatResponse,
  OnlineUsersResponse,
  ProbeResponse,
  NodeServiceService as rpc,
  StatResponse,
  StatsOnlineIpListResponse,
  SystemStatsResponse,
  TrafficBatch,
  type User,
  type UsersChunk,
} from '../gen/service.js';
import { encodeBackend, encodeUsers, type WithUsers } from '../messages/users-message.js';

/** The options that a transport needs. */
export type TransportOptions = Pick<NodeClientOptions, 'host' | 'address' | 'port' | 'apiKey' | 'tls' | 'requestId'>;

/** A call with one request and one response, with its names in both transports. */
export interface UnaryCall<Q, R> {
  /** The path of the gRPC method. */
  readonly path: string;
  readonly requestSerialize: (request: Q) => Buffer;
  /** The message of the answer. */
  readonly answer: Pick<MessageFns<R>, 'decode'>;
  /** The HTTP method. `QUERY` is a GET with a body, which intermediaries may drop: Rampart nodes accept POST instead. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'QUERY';
  /** The path of the REST route. */
  readonly route: string;
  /** Most fields of the answer, of which each entry of a list is one: with more it is `TOO_LARGE`. */
  readonly maxFields: number;
  /** Maximum size of one of these fields. */
  readonly maxFieldBytes: number;
  /** Has the fields beyond the limit left out instead, and told how many they are. */
  readonly leftOut?: (fields: number) => void;
  /** Entries of this list beyond so many are left out, and all other fields are read. */
  readonly list?: { readonly field: number; readonly maxEntries: number };
}

/** Most fields of an answer without lists. */
const FEW = 100;
/** Most entries of a list that has one for each user, unless the caller says how many there are. */
const FOR_EACH_USER = 1_000_000;
/** The number of the field with the refused users of an info. */
export const REFUSED_FIELD = 101;
/** Most refused users and warnings: a node reports them at each look at it. */
const MAX_REFUSED = 250_000;
const MAX_ADDRESSES = 10_000;
const MAX_LATENCIES = 10_000;
/** Maximum size of an entry that has an e-mail, an address or a tag, and numbers. */
const SHORT = 4 * 1024;
/** Maximum size of a field with a sentence, an error or a certificate. */
const LONG = 64 * 1024;

/** All calls with one request and one response. */
export const CALLS = {
  start: {
    ...rpc.start,
    requestSerialize: encodeBackend,
    answer: BaseInfoResponse,
    method: 'POST',
    route: '/start',
    maxFields: MAX_REFUSED,
    maxFieldBytes: LONG,
  },
  stop: {
    ...rpc.stop,
    answer: Empty,
    method: 'PUT',
    route: '/stop',
    maxFields: FEW,
    maxFieldBytes: SHORT,
  },
  info: {
    ...rpc.getBaseInfo,
    answer: BaseInfoResponse,
    method: 'GET',
    route: '/info',
    maxFields: MAX_REFUSED,
    maxFieldBytes: LONG,
  },
  stats: {
    ...rpc.getStats,
    answer: StatResponse,
    method: 'QUERY',
    route: '/stats',
    maxFields: FOR_EACH_USER,
    maxFieldBytes: SHORT,
  },
  systemStats: {
    ...rpc.getSystemStats,
    answer: SystemStatsResponse,
    method: 'GET',
    route: '/stats/system',
    maxFields: FEW,
    maxFieldBytes: SHORT,
  },
  backendStats: {
    ...rpc.getBackendStats,
    answer: BackendStatsResponse,
    method: 'GET',
    route: '/stats/backend',
    maxFields: FEW,
    maxFieldBytes: SHORT,
  },
  userOnline: {
    ...rpc.getUserOnlineStats,
    answer: OnlineStatResponse,
    method: 'QUERY',
    route: '/stats/user/online',
    maxFields: FEW,
    maxFieldBytes: SHORT,
  },
  userOnlineIps: {
    ...rpc.getUserOnlineIpListStats,
    answer: StatsOnlineIpListResponse,
    method: 'QUERY',
    route: '/stats/user/online_ip',
    maxFields: MAX_ADDRESSES,
    maxFieldBytes: SHORT,
  },
  onlineUsers: {
    ...rpc.getOnlineUsers,
    answer: OnlineUsersResponse,
    method: 'GET',
    route: '/stats/users/online',
    maxFields: FOR_EACH_USER,
    maxFieldBytes: SHORT,
  },
  latencies: {
    ...rpc.getOutboundsLatency,
    answer: LatencyResponse,
    method: 'QUERY',
    route: '/stats/latency',
    maxFields: MAX_LATENCIES,
    maxFieldBytes: LONG,
  },
  syncUsers: {
    ...rpc.syncUsers,
    requestSerialize: encodeUsers,
    answer: Empty,
    method: 'PUT',
    route: '/users/sync',
    maxFields: FEW,
    maxFieldBytes: SHORT,
  },
  collectTraffic: {
    ...rpc.collectTraffic,
    answer: TrafficBatch,
    method: 'POST',
    route: '/traffic/collect',
    maxFields: FOR_EACH_USER,
    maxFieldBytes: SHORT,
  },
  requestCertificate: {
    ...rpc.requestCertificate,
    answer: CertificateRequest,
    method: 'POST',
    route: '/certificate/request',
    maxFields: FEW,
    maxFieldBytes: LONG,
  },
  installCertificate: {
    ...rpc.installCertificate,
    answer: Empty,
    method: 'PUT',
    route: '/certificate',
    maxFields: FEW,
    maxFieldBytes: SHORT,
  },
  probe: {
    ...rpc.probe,
    answer: ProbeResponse,
    method: 'POST',
    route: '/probe',
    maxFields: FEW,
    maxFieldBytes: LONG,
  },
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
