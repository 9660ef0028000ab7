import type {
  Backend,
  BaseInfoResponse,
  CollectTrafficRequest,
  StatRequest,
  StatResponse,
  TrafficBatch,
  User,
  Users,
} from '@rampart/node-client';
import type { LogLine, NodeService } from '../node.service.js';

export const INFO: BaseInfoResponse = {
  running: true,
  coreVersion: '26.3.27',
  version: '0.1.0',
  coreType: 'xray',
  refused: [],
};

/** Stands in for the engine room: keeps what the doors pass on, and answers as it is told. */
export class NodeDouble implements Omit<NodeService, 'onApplicationShutdown'> {
  readonly calls: { readonly name: string; readonly input: unknown }[] = [];
  /** What the next calls throw. */
  error: unknown;
  /** What a call waits for before it answers. */
  gate: Promise<unknown> = Promise.resolve();
  /** The log: told the reader's place and signal. */
  log: (after: bigint | undefined, signal: AbortSignal) => AsyncIterable<LogLine> = untilAborted;
  stat: StatResponse = { stats: [] };
  readers = 0;

  start(backend: Backend): Promise<BaseInfoResponse> {
    return this.answer('start', backend, INFO);
  }

  stop(): Promise<void> {
    return this.answer('stop', undefined, undefined);
  }

  info(): BaseInfoResponse {
    this.calls.push({ name: 'info', input: undefined });
    if (this.error) throw this.error;
    return INFO;
  }

  logs({ after, signal }: { after?: bigint; signal: AbortSignal }): AsyncIterable<LogLine> {
    this.calls.push({ name: 'logs', input: after });
    if (this.error) throw this.error;
    return this.counted(this.log(after, signal));
  }

  stats(request: StatRequest): Promise<StatResponse> {
    return this.answer('stats', request, this.stat);
  }

  async syncUser(users: AsyncIterable<User> | Iterable<User>): Promise<void> {
    const emails: string[] = [];
    this.calls.push({ name: 'syncUser', input: emails });
    for await (const { email } of users) {
      emails.push(email);
      await this.gate;
      if (this.error) throw this.error;
    }
  }

  syncUsers(users: Users): Promise<void> {
    return this.answer('syncUsers', users, undefined);
  }

  collectTraffic(request: CollectTrafficRequest): Promise<TrafficBatch> {
    const empty = { ledger: 'a-ledger', number: 0n, sealedAt: 0n, users: [], inbounds: [], outbounds: [] };
    return this.answer('collectTraffic', request, empty);
  }

  reset(): void {
    this.calls.length = 0;
    this.error = undefined;
    this.gate = Promise.resolve();
    this.log = untilAborted;
    this.stat = { stats: [] };
  }

  private async answer<T>(name: string, input: unknown, value: T): Promise<T> {
    this.calls.push({ name, input });
    await this.gate;
    if (this.error) throw this.error;
    return value;
  }

  private async *counted(lines: AsyncIterable<LogLine>): AsyncGenerator<LogLine> {
    this.readers += 1;
    try {
      yield* lines;
    } finally {
      this.readers -= 1;
    }
  }
}

/** A log in which nothing happens. */
export async function* untilAborted(_after: bigint | undefined, signal: AbortSignal): AsyncGenerator<LogLine> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Lines 1 to `count` after a place, then silence. */
export const lines = (count: number, text = (sequence: bigint) => `line ${sequence}`): NodeDouble['log'] =>
  async function* (after, signal) {
    for (let sequence = (after ?? 0n) + 1n; sequence <= BigInt(count); sequence += 1n) {
      yield { sequence, detail: text(sequence) };
    }
    yield* untilAborted(after, signal);
  };
