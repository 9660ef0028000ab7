import { isIP } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type BaseInfoResponse,
  type CallOptions,
  type Log,
  type LogOptions,
  type NodeClient,
  NodeClientError,
  type OnlineStatResponse,
  type OnlineUsersResponse,
  type ProbeResponse,
  type RefusedUser,
  type StatsOnlineIpListResponse,
  type SystemStatsResponse,
} from '@rampart/node-client';
import { addressTable, linesText, lineText, numberUpTo, unixSeconds, wholeNumber } from './answer-rules.js';

/** Maximum characters of versions and identifiers. */
const MAX_NAME = 100;
const MAX_EMAIL = 256;
/** Maximum characters of a sentence. */
const MAX_SENTENCE = 500;
/** Maximum characters of an error, which may hold several lines of the engine. */
const MAX_ERROR = 2_000;
const MAX_WARNINGS = 50;
const MAX_ADDRESSES = 1_000;
const MAX_ONLINE_USERS = 100_000;
/** Refused users who are shown; of the others only the name counts. */
const MAX_SHOWN_REFUSED = 1_000;
const DIGEST_BYTES = 16;
/** A request for a certificate with a key of 16,384 bits has about 4 KB. */
const MAX_CERTIFICATE_REQUEST_BYTES = 16 * 1024;
const MAX_LOG_LINE = 16 * 1024;
/** Lines that a log may have at once, and then in a second. Further ones wait at the node, which drops the oldest. */
const LOG_BURST_LINES = 10_000;
const LOG_LINES_PER_SECOND = 1_000;
/** A longer line counts as several. */
const LOG_LINE_CHARACTERS = 512;
const PROBE_STAGES = ['settings', 'address', 'handshake', 'answer', 'download', 'done'];
const MAX_PROBE_BYTES = 4 * 1024 * 1024;
const MAX_UINT32 = 2 ** 32 - 1;

/**
 * The one place where answers of nodes enter management: every text is short and has visible characters, every number is one
 * that columns, dates and JSON hold, and lists are short. A node is another machine, which may say anything. The traffic that
 * it reports is judged where it is recorded.
 */
export function carefulClient(client: NodeClient): NodeClient {
  return {
    start: (backend, options) => guarded(client.start(backend, options), cleanInfo),
    stop: (options) => guarded(client.stop(options)),
    info: (options) => guarded(client.info(options), cleanInfo),
    logs: (options) => cleanLog(client, options),
    stats: (request, options) => guarded(client.stats(request, options)),
    systemStats: (options) => guarded(client.systemStats(options), cleanSystemStats),
    backendStats: (options) => guarded(client.backendStats(options)),
    userOnline: (email, options) => guarded(client.userOnline(email, options), cleanOnline),
    userOnlineIps: (email, options) => guarded(client.userOnlineIps(email, options), cleanAddresses),
    onlineUsers: (options) => guarded(client.onlineUsers(options), cleanOnlineUsers),
    latencies: (tag, options) =>
      guarded(client.latencies(tag, options), ({ latencies }) => ({
        latencies: latencies.map((latency) => ({
          name: lineText(latency.name, MAX_EMAIL),
          alive: latency.alive,
          delay: wholeNumber(latency.delay),
          link: lineText(latency.link, MAX_SENTENCE),
          lastSeenTime: unixSeconds(latency.lastSeenTime),
          lastTryTime: unixSeconds(latency.lastTryTime),
          source: lineText(latency.source, MAX_NAME),
        })),
      })),
    syncUser: (users, options) => guarded(client.syncUser(users, options)),
    syncUsers: (users, options) => guarded(client.syncUsers(users, options)),
    syncUsersChunked: (users, options) => guarded(client.syncUsersChunked(users, options)),
    collectTraffic: (request, options) =>
      guarded(client.collectTraffic(request, options), (batch) => ({
        ...batch,
        ledger: lineText(batch.ledger, MAX_NAME),
        sealedAt: unixSeconds(batch.sealedAt),
      })),
    requestCertificate: (options) =>
      guarded(client.requestCertificate(options), ({ request }) => {
        if (request.length > MAX_CERTIFICATE_REQUEST_BYTES)
          throw new NodeClientError('PROTOCOL', `its request for a certificate has ${request.length} bytes`);
        return { request };
      }),
    installCertificate: (certificate, options) => guarded(client.installCertificate(certificate, options)),
    probe: (request, options) => guarded(client.probe(request, options), cleanProbe),
    close: () => client.close(),
  };
}

async function guarded<T>(answer: Promise<T>, clean: (answer: T) => T = (same) => same): Promise<T> {
  try {
    return clean(await answer);
  } catch (error) {
    throw cleanError(error);
  }
}

function cleanError(error: unknown): unknown {
  if (!(error instanceof NodeClientError)) return error;
  const refused = error.refused.slice(0, MAX_SHOWN_REFUSED).map(cleanRefused);
  return new NodeClientError(error.code, linesText(error.message, MAX_ERROR), {
    ...error,
    refused,
    cause: error.cause,
  });
}

const cleanRefused = ({ email, reason }: RefusedUser): RefusedUser => ({
  email: lineText(email, MAX_EMAIL),
  reason: lineText(reason, MAX_SENTENCE),
});

const cleanInfo = (info: BaseInfoResponse): BaseInfoResponse => ({
  running: info.running,
  fallback: info.fallback,
  coreVersion: lineText(info.coreVersion, MAX_NAME),
  version: lineText(info.version, MAX_NAME),
  coreType: lineText(info.coreType, MAX_NAME),
  refused: info.refused.map((user, index) =>
    index < MAX_SHOWN_REFUSED ? cleanRefused(user) : { email: user.email.slice(0, MAX_EMAIL), reason: '' },
  ),
  configDigest: lineText(info.configDigest, MAX_NAME),
  usersDigest: info.usersDigest.subarray(0, DIGEST_BYTES),
  usersCount: wholeNumber(info.usersCount),
  bootId: lineText(info.bootId, MAX_NAME),
  restarts: wholeNumber(info.restarts),
  lastExit: lineText(info.lastExit, MAX_SENTENCE),
  warnings: info.warnings.slice(0, MAX_WARNINGS).map((warning) => lineText(warning, MAX_SENTENCE)),
  certificateExpiresAt: unixSeconds(info.certificateExpiresAt),
  timeMs: unixSeconds(info.timeMs / 1_000n) * 1_000n + (info.timeMs % 1_000n),
});

const cleanSystemStats = (stats: SystemStatsResponse): SystemStatsResponse => ({
  memTotal: wholeNumber(stats.memTotal),
  memUsed: wholeNumber(stats.memUsed),
  cpuCores: wholeNumber(stats.cpuCores),
  cpuUsage: numberUpTo(stats.cpuUsage, 100),
  incomingBandwidthSpeed: wholeNumber(stats.incomingBandwidthSpeed),
  outgoingBandwidthSpeed: wholeNumber(stats.outgoingBandwidthSpeed),
  uptime: wholeNumber(stats.uptime),
});

const cleanOnline = ({ name, value }: OnlineStatResponse): OnlineStatResponse => ({
  name: lineText(name, MAX_EMAIL),
  value: wholeNumber(value),
});

const cleanAddresses = ({ name, ips }: StatsOnlineIpListResponse): StatsOnlineIpListResponse => ({
  name: lineText(name, MAX_EMAIL),
  ips: addressTable(ips, MAX_ADDRESSES),
});

const cleanOnlineUsers = ({ emails }: OnlineUsersResponse): OnlineUsersResponse => ({
  emails: emails.slice(0, MAX_ONLINE_USERS).map((email) => lineText(email, MAX_EMAIL)),
});

const cleanProbe = (probe: ProbeResponse): ProbeResponse => ({
  stage: PROBE_STAGES.includes(probe.stage) ? probe.stage : 'settings',
  error: lineText(probe.error, MAX_SENTENCE),
  address: isIP(probe.address) === 0 ? '' : probe.address,
  handshakeMs: probe.handshakeMs,
  firstByteMs: probe.firstByteMs,
  bytes: numberUpTo(probe.bytes, MAX_PROBE_BYTES),
  bytesPerSecond: wholeNumber(probe.bytesPerSecond),
  httpStatus: numberUpTo(probe.httpStatus, MAX_UINT32),
});

/** Lines are read no faster than a reader can follow, so that no node keeps management busy with its log. */
async function* cleanLog(client: NodeClient, options: LogOptions | undefined): AsyncGenerator<Log, void, void> {
  let left = LOG_BURST_LINES;
  let lastLine = performance.now();
  try {
    for await (const { detail, sequence } of client.logs(options)) {
      const now = performance.now();
      left = Math.min(LOG_BURST_LINES, left + ((now - lastLine) * LOG_LINES_PER_SECOND) / 1_000);
      left -= Math.max(1, detail.length / LOG_LINE_CHARACTERS);
      lastLine = now;
      if (left < 0) await pause((-left * 1_000) / LOG_LINES_PER_SECOND, options);
      if (options?.signal?.aborted) return;
      yield { detail: linesText(detail, MAX_LOG_LINE), sequence };
    }
  } catch (error) {
    throw cleanError(error);
  }
}

const pause = (milliseconds: number, { signal }: CallOptions = {}): Promise<void> =>
  wait(Math.ceil(milliseconds), undefined, signal ? { signal } : {}).catch(() => undefined);
