import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  type Backend,
  BaseInfoResponse,
  type CallOptions,
  type CertificateRequest,
  type CollectedTraffic,
  type CollectTrafficRequest,
  type EntryOptions,
  type IssuedCertificate,
  type Log,
  type LogOptions,
  type NodeClient,
  NodeClientError,
  type NodeClientErrorCode,
  type OnlineStatResponse,
  type RefusedUser,
  type StartInput,
  type StatsOnlineIpListResponse,
  SystemStatsResponse,
  type TrafficBatch,
  type User,
  type Users,
  UsersDigest,
  userDigest,
} from '@rampart/node-client';

type Call =
  | 'start'
  | 'info'
  | 'syncUser'
  | 'syncUsers'
  | 'collectTraffic'
  | 'systemStats'
  | 'userOnline'
  | 'logs'
  | 'requestCertificate'
  | 'installCertificate';
type Bytes = readonly [uplink: bigint, downlink: bigint];

const uncalled = (): Promise<never> => Promise.reject(new Error('management does not call this'));

/** A node in memory, whose calls can fail before they have an effect, or after it with the answer lost. */
export class NodeDouble implements NodeClient {
  readonly calls: Call[] = [];
  readonly starts: Backend[] = [];
  readonly synced: User[] = [];
  /** Time-outs of the calls of `syncUser`. */
  readonly syncTimeouts: (number | undefined)[] = [];
  readonly users = new Map<string, User>();
  /** All users of all calls, in order: what the owner of the node could have written down. */
  readonly told: User[] = [];
  /** E-mails in removals of users whom the node did not hold. */
  readonly strangers: string[] = [];
  readonly acknowledged: [ledger: string, number: bigint][] = [];
  /** E-mails that the engine refuses, with the reason. */
  readonly poison = new Map<string, string>();
  /** By e-mail, the addresses and when each was last seen. */
  readonly online = new Map<string, Record<string, bigint>>();
  lines: string[] = [];
  readers = 0;
  running = false;
  stops = 0;
  closed = 0;
  ledger = 'ledger-1';
  coreVersion = '26.3.27';
  warnings: string[] = [];
  fallback = false;
  /** The certificate of an enrolled node, whose end it reports. */
  certificate: X509Certificate | undefined;
  /** What it answers when it is to request its next certificate. */
  certificateRequest = Buffer.alloc(0);
  /** Other implementations report no digest. */
  tellsDigest = true;
  /** The highest known revision: older calls are refused. */
  lastRevision = 0n;

  /** Calls that wait until the client is closed. */
  private hanging: Call[] = [];
  private closing = new AbortController();
  private faults: { call: Call; when: 'before' | 'after'; error: NodeClientError }[] = [];
  private refused: RefusedUser[] = [];
  /** Refused users whom its answers name beside those whom it has refused. */
  madeUp: RefusedUser[] = [];
  /** How many refused users were read of its answers. */
  readonly refusedLimits: (number | undefined)[] = [];
  private open = new Map<string, Bytes>();
  private sealed?: TrafficBatch;
  private number = 0n;

  /** Has the next such call fail before it has an effect, or after it with the answer lost. */
  fail(
    call: Call,
    when: 'before' | 'after',
    code: NodeClientErrorCode = 'UNREACHABLE',
    message = 'cannot reach node',
  ): void {
    this.faults.push({ call, when, error: new NodeClientError(code, message) });
  }

  /** Has the next such call wait for an answer until the client is closed. */
  hang(call: Call): void {
    this.hanging.push(call);
  }

  /** Simulates a restart of the program: the engine does not run, and the ledger in memory is lost. */
  restart(ledger: string): void {
    this.running = false;
    this.users.clear();
    this.ledger = ledger;
    this.open.clear();
    this.sealed = undefined;
    this.number = 0n;
    this.lastRevision = 0n;
  }

  traffic(email: string, uplink: bigint, downlink: bigint): void {
    const [up, down] = this.open.get(email) ?? [0n, 0n];
    this.open.set(email, [up + uplink, down + downlink]);
  }

  start({ users: given = [], ...others }: StartInput, { maxEntries }: EntryOptions = {}): Promise<BaseInfoResponse> {
    this.refusedLimits.push(maxEntries);
    return this.do('start', () => {
      const backend = { ...others, users: [...given] } as Backend;
      const { revision = 0n } = backend;
      if (revision < this.lastRevision) throw new NodeClientError('STALE_REVISION', `revision ${revision} is older`);
      this.lastRevision = revision;
      this.starts.push(backend);
      this.running = true;
      this.users.clear();
      this.refused = [];
      for (const user of backend.users) this.hear(user);
      return this.base();
    });
  }

  stop(): Promise<void> {
    this.stops += 1;
    return Promise.resolve();
  }

  info({ maxEntries }: EntryOptions = {}): Promise<BaseInfoResponse> {
    this.refusedLimits.push(maxEntries);
    return this.do('info', () => this.base());
  }

  syncUser(users: Iterable<User>, { timeoutMs }: CallOptions = {}): Promise<void> {
    this.syncTimeouts.push(timeoutMs);
    return this.do('syncUser', () => {
      if (!this.running) throw new NodeClientError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
      const given = [...users];
      const stale = given.filter(({ revision }) => revision < this.lastRevision);
      const refused = given.filter((user) => {
        this.synced.push(user);
        return !stale.includes(user) && !this.hear(user);
      });
      if (refused.length > 0) throw new NodeClientError('USERS_REFUSED', `${refused.length} users refused`);
      if (stale.length > 0) throw new NodeClientError('STALE_REVISION', `${stale.length} users not changed`);
    });
  }

  syncUsers({ users = [], revision = 0n }: Partial<Users>): Promise<void> {
    return this.do('syncUsers', () => {
      if (!this.running) throw new NodeClientError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
      if (revision < this.lastRevision) throw new NodeClientError('STALE_REVISION', `revision ${revision} is older`);
      this.lastRevision = revision;
      this.users.clear();
      this.refused = [];
      for (const user of users) this.hear(user);
      if (this.refused.length > 0) throw new NodeClientError('USERS_REFUSED', `${this.refused.length} users refused`);
    });
  }

  collectTraffic({ ledger = '', acknowledge = 0n }: Partial<CollectTrafficRequest>): Promise<CollectedTraffic> {
    return this.do('collectTraffic', () => {
      this.acknowledged.push([ledger, acknowledge]);
      if (ledger === this.ledger && acknowledge === this.sealed?.number) this.sealed = undefined;
      if (!this.sealed && this.open.size > 0) this.seal();
      const none = { ledger: this.ledger, number: 0n, sealedAt: 0n, users: [], inbounds: [], outbounds: [] };
      return { ...(this.sealed ?? none), leftOut: 0 };
    });
  }

  /** Yields the lines that exist, then waits until the reader leaves. */
  async *logs({ signal }: LogOptions = {}): AsyncGenerator<Log> {
    await this.do('logs', () => undefined);
    this.readers += 1;
    try {
      for (const [index, detail] of this.lines.entries()) yield { detail, sequence: BigInt(index + 1) };
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
    } finally {
      this.readers -= 1;
    }
  }

  systemStats(): Promise<SystemStatsResponse> {
    return this.do('systemStats', () =>
      SystemStatsResponse.fromPartial({
        memTotal: 8_000_000_000n,
        memUsed: 3_000_000_000n,
        cpuCores: 4n,
        cpuUsage: 12.5,
        incomingBandwidthSpeed: 100n,
        outgoingBandwidthSpeed: 200n,
        uptime: 3600n,
      }),
    );
  }

  userOnline(name: string): Promise<OnlineStatResponse> {
    return this.do('userOnline', () => ({ name, value: BigInt(Object.keys(this.online.get(name) ?? {}).length) }));
  }

  userOnlineIps(name: string): Promise<StatsOnlineIpListResponse> {
    return this.do('userOnline', () => ({ name, ips: this.online.get(name) ?? {} }));
  }

  requestCertificate(): Promise<CertificateRequest> {
    return this.do('requestCertificate', () => ({ request: this.certificateRequest }));
  }

  installCertificate({ certificate = Buffer.alloc(0) }: Partial<IssuedCertificate>): Promise<void> {
    return this.do('installCertificate', () => {
      this.certificate = new X509Certificate(certificate);
    });
  }

  readonly stats = uncalled;
  readonly backendStats = uncalled;
  readonly onlineUsers = uncalled;
  readonly probe = uncalled;
  readonly latencies = uncalled;
  /** What the tests do to `syncUser` holds for large batches too. */
  syncUsersChunked(users: Iterable<User>, options: CallOptions = {}): Promise<void> {
    return this.syncUser(users, options);
  }

  close(): Promise<void> {
    this.closed += 1;
    this.closing.abort(new NodeClientError('CANCELLED', 'the client is closed'));
    this.closing = new AbortController();
    return Promise.resolve();
  }

  private async do<T>(call: Call, work: () => T): Promise<T> {
    this.calls.push(call);
    const hanging = this.hanging.indexOf(call);
    if (hanging >= 0) {
      this.hanging.splice(hanging, 1);
      const { signal } = this.closing;
      await once(signal, 'abort');
      throw signal.reason;
    }
    const index = this.faults.findIndex((fault) => fault.call === call);
    const [fault] = index < 0 ? [] : this.faults.splice(index, 1);
    if (fault?.when === 'before') throw fault.error;
    const answer = work();
    if (fault) throw fault.error;
    return answer;
  }

  private hear(user: User): boolean {
    this.told.push(user);
    if (user.inbounds.length === 0 && !this.users.has(user.email)) this.strangers.push(user.email);
    return this.apply(user);
  }

  private apply(user: User): boolean {
    this.refused = this.refused.filter(({ email }) => email !== user.email);
    if (user.inbounds.length === 0) this.users.delete(user.email);
    else if (!this.poison.has(user.email)) this.users.set(user.email, user);
    const reason = this.poison.get(user.email);
    if (reason === undefined || user.inbounds.length === 0) return true;
    this.refused.push({ email: user.email, reason });
    return false;
  }

  private base(): BaseInfoResponse {
    return BaseInfoResponse.fromPartial({
      running: this.running,
      coreVersion: this.coreVersion,
      version: '0.1.0',
      coreType: 'xray',
      refused: [...this.refused, ...this.madeUp],
      warnings: this.warnings,
      fallback: this.fallback,
      certificateExpiresAt: this.certificate ? BigInt(Date.parse(this.certificate.validTo) / 1000) : 0n,
      usersDigest: this.tellsDigest ? digestOf(this.users.values()) : undefined,
    });
  }

  private seal(): void {
    const users = [...this.open].map(([email, [uplink, downlink]]) => ({ email, uplink, downlink }));
    this.number += 1n;
    this.sealed = {
      ledger: this.ledger,
      number: this.number,
      sealedAt: 1_800_000_000n,
      users,
      inbounds: [],
      outbounds: [
        {
          tag: 'DIRECT',
          uplink: users.reduce((sum, { uplink }) => sum + uplink, 0n),
          downlink: users.reduce((sum, { downlink }) => sum + downlink, 0n),
        },
      ],
    };
    this.open = new Map();
  }
}

function digestOf(users: Iterable<User>): Buffer {
  const digest = new UsersDigest();
  for (const user of users) digest.addDigest(userDigest(user));
  return Buffer.from(digest.value);
}
