import {
  BackendStatsResponse,
  type BaseInfoResponse,
  type CertificateRequest,
  type CollectTrafficRequest,
  type IssuedCertificate,
  type LatencyRequest,
  type LatencyResponse,
  type OnlineStatResponse,
  type OnlineUsersResponse,
  type ProbeRequest,
  ProbeResponse,
  type StatRequest,
  type StatResponse,
  type StatsOnlineIpListResponse,
  SystemStatsResponse,
  type TrafficBatch,
} from '@rampart/node-client';
import type { LogLine, NodeService } from '../../node.service.js';
import type { RawBackend, RawUsers, RawUsersChunk } from '../../wire/raw-messages.js';
import type { RawUser } from '../../wire/raw-user.js';

/** A response with a value in each of its fields. */
export const INFO: BaseInfoResponse = {
  running: true,
  coreVersion: '26.3.27',
  version: '0.1.0',
  coreType: 'xray',
  refused: [{ email: '9.ivy', reason: 'a reason' }],
  configDigest: 'a-digest',
  usersDigest: Buffer.alloc(16, 7),
  usersCount: 12n,
  bootId: 'a-boot',
  restarts: 3n,
  lastExit: 'exit 2',
  warnings: ['a certificate has expired', 'the disk is full'],
  certificateExpiresAt: 1_800_000_000n,
  timeMs: 1_800_000_000_000n,
  fallback: true,
};

/** The calls of a NodeService, without what the program needs of it. */
export type NodeCalls = Omit<
  NodeService,
  ('monitor' | 'onApplicationBootstrap' | 'onApplicationShutdown') | ('leaveEngine' | 'giveWay' | 'whenAskedToLeave')
>;

/** A double of NodeService that records calls and answers as configured. */
export class NodeDouble implements NodeCalls {
  readonly calls: { readonly name: string; readonly input: unknown }[] = [];
  /** The error of the next calls. */
  error: unknown;
  /** Calls wait for this before they answer. */
  answerAfter: Promise<unknown> = Promise.resolve();
  /** The log, given the reader's position and signal. */
  log: (after: bigint | undefined, signal: AbortSignal) => AsyncIterable<LogLine> = untilAborted;
  stat: StatResponse = { stats: [] };
  /** Number of chunks that are read of a call. */
  chunksWanted = Number.POSITIVE_INFINITY;
  readers = 0;
  /** The quiet time that the last reader asked for. */
  quietMs: number | undefined;

  start(backend: RawBackend): Promise<BaseInfoResponse> {
    return this.recordAndAnswer('start', backend, INFO);
  }

  stop(): Promise<void> {
    return this.recordAndAnswer('stop', undefined, undefined);
  }

  info(): BaseInfoResponse {
    this.calls.push({ name: 'info', input: undefined });
    if (this.error) throw this.error;
    return INFO;
  }

  async logs({
    after,
    signal,
    quietMs,
  }: Parameters<NodeService['logs']>[0]): Promise<AsyncIterable<readonly LogLine[]>> {
    this.calls.push({ name: 'logs', input: after });
    this.quietMs = quietMs;
    await this.answerAfter;
    if (this.error) throw this.error;
    return this.counted(this.log(after, signal));
  }

  stats(request: StatRequest): Promise<StatResponse> {
    return this.recordAndAnswer('stats', request, this.stat);
  }

  systemStats(): Promise<SystemStatsResponse> {
    return this.recordAndAnswer('systemStats', undefined, SystemStatsResponse.create({ memTotal: 1n }));
  }

  backendStats(): Promise<BackendStatsResponse> {
    return this.recordAndAnswer('backendStats', undefined, BackendStatsResponse.create({ uptime: 1 }));
  }

  onlineStats(request: StatRequest): Promise<OnlineStatResponse> {
    return this.recordAndAnswer('onlineStats', request, { name: request.name, value: 1n });
  }

  onlineAddresses(request: StatRequest): Promise<StatsOnlineIpListResponse> {
    return this.recordAndAnswer('onlineAddresses', request, { name: request.name, ips: { '192.0.2.1': 1n } });
  }

  onlineUsers(): Promise<OnlineUsersResponse> {
    return this.recordAndAnswer('onlineUsers', undefined, { emails: ['1.a'] });
  }

  latencies(request: LatencyRequest): Promise<LatencyResponse> {
    return this.recordAndAnswer('latencies', request, { latencies: [] });
  }

  async syncUser(users: AsyncIterable<RawUser> | Iterable<RawUser>): Promise<void> {
    const emails: string[] = [];
    this.calls.push({ name: 'syncUser', input: emails });
    for await (const { email } of users) {
      emails.push(email);
      await this.answerAfter;
      if (this.error) throw this.error;
    }
  }

  syncUsers(users: RawUsers): Promise<void> {
    return this.recordAndAnswer('syncUsers', users, undefined);
  }

  async syncUsersChunked(chunks: AsyncIterable<RawUsersChunk>): Promise<void> {
    const received: RawUsersChunk[] = [];
    this.calls.push({ name: 'syncUsersChunked', input: received });
    for await (const chunk of chunks) if (received.push(chunk) === this.chunksWanted) break;
    await this.answerAfter;
    if (this.error) throw this.error;
  }

  collectTraffic(request: CollectTrafficRequest): Promise<TrafficBatch> {
    const empty = { ledger: 'a-ledger', number: 0n, sealedAt: 0n, users: [], inbounds: [], outbounds: [] };
    return this.recordAndAnswer('collectTraffic', request, empty);
  }

  requestCertificate(): Promise<CertificateRequest> {
    return this.recordAndAnswer('requestCertificate', undefined, { request: Buffer.from('a-request') });
  }

  probe(request: ProbeRequest): Promise<ProbeResponse> {
    return this.recordAndAnswer('probe', request, ProbeResponse.create({ stage: 'done', httpStatus: 200 }));
  }

  installCertificate(issued: IssuedCertificate): Promise<void> {
    return this.recordAndAnswer('installCertificate', issued, undefined);
  }

  reset(): void {
    this.calls.length = 0;
    this.error = undefined;
    this.answerAfter = Promise.resolve();
    this.log = untilAborted;
    this.stat = { stats: [] };
    this.chunksWanted = Number.POSITIVE_INFINITY;
  }

  private async recordAndAnswer<T>(name: string, input: unknown, value: T): Promise<T> {
    this.calls.push({ name, input });
    await this.answerAfter;
    if (this.error) throw this.error;
    return value;
  }

  private async *counted(lines: AsyncIterable<LogLine>): AsyncGenerator<readonly LogLine[]> {
    this.readers += 1;
    try {
      for await (const line of lines) yield [line];
    } finally {
      this.readers -= 1;
    }
  }
}

/** A log without lines. */
export async function* untilAborted(_after: bigint | undefined, signal: AbortSignal): AsyncGenerator<LogLine> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A log with the lines after a position up to `count`, and no more. */
export const lines = (count: number, text = (sequence: bigint) => `line ${sequence}`): NodeDouble['log'] =>
  async function* (after, signal) {
    for (let sequence = (after ?? 0n) + 1n; sequence <= BigInt(count); sequence += 1n) {
      yield { sequence, detail: text(sequence) };
    }
    yield* untilAborted(after, signal);
  };
