import {
  type CallOptions,
  type ChunkOptions,
  type CollectedTraffic,
  DEFAULT_TIMEOUT_MS,
  type EntryOptions,
  type LogOptions,
  type NodeClient,
  type StartInput,
} from '../api/node-client.js';
import { NodeClientError } from '../errors/node-client-error.js';
import {
  Backend,
  type BackendStatsResponse,
  type BaseInfoResponse,
  type CertificateRequest,
  CollectTrafficRequest,
  type DeepPartial,
  IssuedCertificate,
  type LatencyResponse,
  type Log,
  type OnlineStatResponse,
  type OnlineUsersResponse,
  ProbeRequest,
  type ProbeResponse,
  type RefusedUser,
  StatRequest,
  type StatResponse,
  type StatsOnlineIpListResponse,
  StatType,
  type SystemStatsResponse,
  Users,
  type UsersChunk,
} from '../gen/service.js';
import { completeUser, toUint64 } from '../messages/complete-user.js';
import { CHANGE_FIELD, EncodedUsers } from '../messages/encoded-users.js';
import { chunksOf, UserSource, type UsersInput } from '../messages/user-source.js';
import type { WithUsers } from '../messages/users-message.js';
import { encodingError } from '../transport/encode-request.js';
import { nextTurn } from '../transport/next-turn.js';
import { CALLS, type NodeTransport, REFUSED_FIELD, type UnaryCall } from '../transport/node-transport.js';
import { type CallScope, CallScopes } from './call-scopes.js';
import { followLog } from './follow-log.js';
import { isUnknownUser, normalizeStats, startError, unsupportedCallError } from './other-nodes.js';

const DEFAULT_CHUNK_SIZE = 500;
const MAX_CHUNK_SIZE = 10_000;
/** Lines of a log that have come together are read in turns of so many. */
const LINES_OF_A_TURN = 50;

/** The implementation of `NodeClient` over any transport. */
export class TransportClient implements NodeClient {
  private readonly scopes: CallScopes;

  constructor(
    private readonly transport: NodeTransport,
    timeoutMs = DEFAULT_TIMEOUT_MS,
  ) {
    this.scopes = new CallScopes(timeoutMs);
  }

  async start(
    { users = [], ...backend }: StartInput,
    { maxEntries, ...options }: EntryOptions = {},
  ): Promise<BaseInfoResponse> {
    const rest = buildMessage(() => Backend.fromPartial(backend));
    // The users are not part of `fromPartial`: copying all of them would take as long as encoding them.
    const message = { ...rest, users: users instanceof EncodedUsers ? users : users.map(completeUser) };
    try {
      return await this.call(withRefused(CALLS.start, maxEntries), message, options);
    } catch (error) {
      throw startError(error);
    }
  }

  async stop(options: CallOptions = {}): Promise<void> {
    await this.call(CALLS.stop, {}, options);
  }

  info({ maxEntries, ...options }: EntryOptions = {}): Promise<BaseInfoResponse> {
    return this.call(withRefused(CALLS.info, maxEntries), {}, options);
  }

  async stats(request: DeepPartial<StatRequest>, { maxEntries, ...options }: EntryOptions = {}): Promise<StatResponse> {
    const message = buildMessage(() => StatRequest.fromPartial(request));
    const call = { ...CALLS.stats, ...(maxEntries !== undefined && { maxFields: maxEntries }) };
    return normalizeStats(await this.call(call, message, options));
  }

  systemStats(options: CallOptions = {}): Promise<SystemStatsResponse> {
    return this.call(CALLS.systemStats, {}, options);
  }

  backendStats(options: CallOptions = {}): Promise<BackendStatsResponse> {
    return this.call(CALLS.backendStats, {}, options);
  }

  userOnline(email: string, options: CallOptions = {}): Promise<OnlineStatResponse> {
    return this.callForUser(CALLS.userOnline, email, { name: email, value: 0n }, options);
  }

  userOnlineIps(email: string, options: CallOptions = {}): Promise<StatsOnlineIpListResponse> {
    return this.callForUser(CALLS.userOnlineIps, email, { name: email, ips: {} }, options);
  }

  onlineUsers(options: CallOptions = {}): Promise<OnlineUsersResponse> {
    return this.callRampart(CALLS.onlineUsers, {}, options);
  }

  latencies(tag = '', options: CallOptions = {}): Promise<LatencyResponse> {
    return this.call(CALLS.latencies, { name: tag }, options);
  }

  syncUser(users: UsersInput, options: CallOptions = {}): Promise<void> {
    return this.sync(users, options, (source, signal) => this.transport.syncUser(source, signal));
  }

  async syncUsers({ users = [], ...request }: DeepPartial<Users>, options: CallOptions = {}): Promise<void> {
    const message = { ...buildMessage(() => Users.fromPartial(request)), users: users.map(completeUser) };
    return this.sync([], options, async ({ emails }, signal) => {
      for (const { email } of message.users) emails.add(email);
      await this.transport.unary(CALLS.syncUsers, message, signal);
    });
  }

  async syncUsersChunked(
    users: UsersInput | EncodedUsers,
    { chunkSize = DEFAULT_CHUNK_SIZE, revision: given = 0n, ...options }: ChunkOptions = {},
  ): Promise<void> {
    const revision = toUint64(given, 'revision');
    if (!Number.isInteger(chunkSize) || chunkSize < 1 || chunkSize > MAX_CHUNK_SIZE) {
      const message = `chunkSize must be an integer from 1 to ${MAX_CHUNK_SIZE}`;
      throw new NodeClientError('INVALID_ARGUMENT', message);
    }
    if (users instanceof EncodedUsers && users.field !== CHANGE_FIELD)
      throw new NodeClientError('INVALID_ARGUMENT', 'the users were encoded for start, not for syncUsersChunked');
    if (users instanceof EncodedUsers)
      return this.sync([], options, ({ emails }, signal) => {
        for (const email of users.emails) emails.add(email);
        return this.transport.syncUsersChunked(onlyChunk(users, revision), signal);
      });
    return this.sync(users, options, (source, signal) =>
      this.transport.syncUsersChunked(chunksOf(source, { size: chunkSize, revision }), signal),
    );
  }

  async collectTraffic(
    request: DeepPartial<CollectTrafficRequest>,
    { maxEntries, ...options }: EntryOptions = {},
  ): Promise<CollectedTraffic> {
    const message = buildMessage(() => CollectTrafficRequest.fromPartial(request));
    let leftOut = 0;
    const count = (fields: number): void => {
      leftOut = fields;
    };
    const call = {
      ...CALLS.collectTraffic,
      ...(maxEntries !== undefined && { maxFields: maxEntries, leftOut: count }),
    };
    const batch = await this.callRampart(call, message, options);
    return { ...batch, leftOut };
  }

  requestCertificate(options: CallOptions = {}): Promise<CertificateRequest> {
    return this.callRampart(CALLS.requestCertificate, {}, options);
  }

  async installCertificate(certificate: DeepPartial<IssuedCertificate>, options: CallOptions = {}): Promise<void> {
    const message = buildMessage(() => IssuedCertificate.fromPartial(certificate));
    await this.callRampart(CALLS.installCertificate, message, options);
  }

  async probe(request: DeepPartial<ProbeRequest>, options: CallOptions = {}): Promise<ProbeResponse> {
    const message = buildMessage(() => ProbeRequest.fromPartial(request));
    return this.callRampart(CALLS.probe, message, options);
  }

  logs({ after = 0n, resume = true, ...options }: LogOptions = {}): AsyncIterable<Log> {
    const read = (from: bigint, opened: () => void) => this.readLog(from, options, opened);
    if (!resume) return read(after, () => undefined);
    const bootId = async () => (await this.info({ ...options, maxEntries: 0 })).bootId;
    return followLog({ read, bootId, after, ...(options.signal ? { signal: options.signal } : {}) });
  }

  close(): Promise<void> {
    this.scopes.close();
    return this.transport.close();
  }

  private call<Q, R extends object>(call: UnaryCall<Q, R>, request: Q, options: CallOptions): Promise<R> {
    return this.scopes.run(options, (signal) => this.transport.unary(call, request, signal));
  }

  private async callRampart<Q, R extends object>(call: UnaryCall<Q, R>, request: Q, options: CallOptions): Promise<R> {
    try {
      return await this.call(call, request, options);
    } catch (error) {
      throw unsupportedCallError(call.path.slice(call.path.lastIndexOf('/') + 1), error);
    }
  }

  private async callForUser<R extends object>(
    call: UnaryCall<StatRequest, R>,
    name: string,
    never: R,
    options: CallOptions,
  ): Promise<R> {
    try {
      return await this.call(call, { name, reset: false, type: StatType.UserStat }, options);
    } catch (error) {
      if (isUnknownUser(error)) return never;
      throw error;
    }
  }

  private sync(
    users: UsersInput,
    options: CallOptions,
    work: (source: UserSource, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    return this.scopes.run(options, async (signal) => {
      const source = new UserSource(users);
      try {
        await work(source, signal);
      } catch (error) {
        // When the iterator of the caller has failed, its error is thrown instead of the error that follows from it.
        if (source.failure) throw source.failure.error;
        if (!(error instanceof NodeClientError) || error.code !== 'USERS_REFUSED') throw error;
        throw error.withRefused(await this.fetchRefused(source.emails, signal));
      }
    });
  }

  /** Asks for the users of this call that were refused. The text of the error names at most 20; the whole list is in the info of the node. */
  private async fetchRefused(emails: ReadonlySet<string>, signal: AbortSignal): Promise<RefusedUser[]> {
    const info = await this.transport.unary(withRefused(CALLS.info, emails.size), {}, signal).catch(() => undefined);
    return info?.refused.filter(({ email }) => emails.has(email)) ?? [];
  }

  private async *readLog(after: bigint, options: CallOptions, opened: () => void): AsyncGenerator<Log, void, void> {
    const scope: CallScope = this.scopes.begin(options, () => this.transport.connected);
    try {
      scope.signal.throwIfAborted();
      let count = 0;
      for await (const line of this.transport.logs(after, scope.signal, opened)) {
        yield line;
        count += 1;
        if (count % LINES_OF_A_TURN === 0) await nextTurn();
      }
    } catch (error) {
      if (options.signal?.aborted) return;
      throw scope.signal.aborted ? scope.signal.reason : error;
    } finally {
      scope.release();
    }
  }
}

/** The call with an answer of which so many refused users are read. */
const withRefused = <Q>(
  call: UnaryCall<Q, BaseInfoResponse>,
  maxEntries: number | undefined,
): UnaryCall<Q, BaseInfoResponse> =>
  maxEntries === undefined ? call : { ...call, list: { field: REFUSED_FIELD, maxEntries } };

async function* onlyChunk(users: EncodedUsers, revision: bigint): AsyncGenerator<WithUsers<UsersChunk>, void, void> {
  yield { users, index: 0n, last: true, revision };
}

/** Builds a message from what the caller has given; throws `INVALID_ARGUMENT` when it cannot. */
function buildMessage<T>(complete: () => T): T {
  try {
    return complete();
  } catch (cause) {
    throw encodingError('the request', cause);
  }
}
