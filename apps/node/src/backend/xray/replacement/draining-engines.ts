import { performance } from 'node:perf_hooks';
import type { Endpoint } from '../config/endpoints.js';
import type { Engine } from '../engine/engine.js';
import { describeExit } from '../process/engine-process.js';
import type { UserStep } from '../users/user-plan.js';
import { endpointsCollide } from './handover-plan.js';

/** Engines that may live on for their last connections; one more ends the oldest. */
const MAX_DRAINING_ENGINES = 2;
const POLL_INTERVAL_MS = 1000;
/** Where many connections make looking slow, it takes one part in this many of the time. */
const MIN_PAUSE_FACTOR = 20;

const LOCKED_OUT =
  'clients of xhttp over HTTP/1.1 may fail for minutes: their connections to the engine before could not be ended';

export interface DrainingEnginesOptions {
  /** After so long a drain is over, whoever is still connected. */
  readonly drainMs: number;
  note(text: string): void;
  /** Whether a process has a client's connection left on one of these; nothing where the system does not tell. */
  hasConnections(pid: number, endpoints: readonly Endpoint[]): Promise<boolean | undefined>;
  /** Ends a process's connections on these. Why some are left, if any are. */
  cutConnections(pid: number, endpoints: readonly Endpoint[]): Promise<string | undefined>;
  /** Books the last reading and ends it. */
  end(engine: Engine): Promise<void>;
}

/** An engine without inbounds. */
export interface DrainingEngine {
  readonly engine: Engine;
  /** Where clients came in whose connections it lives on for. */
  readonly endpoints: readonly Endpoint[];
  /** Where clients came in who must leave it at once. */
  readonly cuts: readonly Endpoint[];
  /** Of those where it keeps listening although the inbound is gone. */
  readonly keptEndpoints: readonly Endpoint[];
  /** Whether this user, once removed, could still open streams on a connection that the engine cannot cut. */
  readonly keepsStreamsOf: (removal: UserStep) => boolean;
}

/** Engines whose inbounds the next one has taken over. They live until their last connection ends, or the time is over. */
export class DrainingEngines {
  private readonly drains = new Set<DrainingEngine>();
  private readonly endings = new Set<Promise<void>>();

  constructor(private readonly options: DrainingEnginesOptions) {}

  /** Those whose traffic still counts, oldest first. */
  get engines(): Engine[] {
    return [...this.drains].map(({ engine }) => engine);
  }

  /** Whether there is any, also one that is just being ended. */
  get hasEngines(): boolean {
    return this.drains.size + this.endings.size > 0;
  }

  add(drain: DrainingEngine): void {
    const { engine } = drain;
    this.drains.add(drain);
    this.options.note(`the engine before (process ${engine.pid}) lives on for the connections that it has`);
    void engine.exited.then((exit) => this.endDrain(drain, describeExit(exit)));
    void this.watchConnections(drain, performance.now() + this.options.drainMs);
    const [oldest] = this.drains;
    if (this.drains.size > MAX_DRAINING_ENGINES && oldest)
      this.endDrain(oldest, `is ended early: no more than ${MAX_DRAINING_ENGINES} live on at a time`);
  }

  /** A removed user must not open anything new, not even on a connection from before. */
  endForRemovedUsers(removals: readonly UserStep[]): void {
    for (const drain of this.drains) {
      if (removals.some(drain.keepsStreamsOf))
        this.endDrain(drain, 'is ended early: a removed user could go on using it');
    }
  }

  /** Whoever keeps a port that is wanted goes first: part of what is sent there would come to it. */
  async endOnPorts(endpoints: readonly Endpoint[]): Promise<void> {
    for (const drain of this.drains) {
      if (!drain.keptEndpoints.some((own) => endpoints.some((other) => endpointsCollide(own, other)))) continue;
      this.endDrain(drain, 'is ended early: it keeps a port that is wanted');
    }
    await Promise.all(this.endings);
  }

  async endAll(): Promise<void> {
    for (const drain of this.drains) this.endDrain(drain, 'is ended');
    await Promise.all(this.endings);
  }

  private async watchConnections(drain: DrainingEngine, until: number): Promise<void> {
    const { engine, endpoints, cuts } = drain;
    const left = engine.pid === undefined ? undefined : await this.options.cutConnections(engine.pid, cuts);
    let told = left === undefined;
    while (this.drains.has(drain)) {
      const began = performance.now();
      if (began >= until) return this.endDrain(drain, 'is ended: the time for its connections is over');
      const connected = engine.pid === undefined ? false : await this.options.hasConnections(engine.pid, endpoints);
      if (connected === false) return this.endDrain(drain, 'has no connection left');
      if (!told) this.options.note(`${LOCKED_OUT}: ${left}`);
      told = true;
      const pause = Math.max(POLL_INTERVAL_MS, (performance.now() - began) * MIN_PAUSE_FACTOR);
      await sleep(Math.min(pause, until - performance.now()));
    }
  }

  private endDrain(drain: DrainingEngine, why: string): void {
    if (!this.drains.delete(drain)) return;
    this.options.note(`the engine before (process ${drain.engine.pid}) ${why}`);
    const ending = this.options.end(drain.engine).finally(() => this.endings.delete(ending));
    this.endings.add(ending);
  }
}

/** Does not keep the node from ending. */
function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
