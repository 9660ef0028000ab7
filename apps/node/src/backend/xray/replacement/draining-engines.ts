import { performance } from 'node:perf_hooks';
import { type Clock, SYSTEM_CLOCK } from '../../../concurrency/clock.js';
import type { Endpoint } from '../config/endpoints.js';
import type { Engine } from '../engine/engine.js';
import { describeExit } from '../process/engine-process.js';
import type { UserStep } from '../users/user-plan.js';
import { endpointsCollide } from './handover-plan.js';

/** Maximum number of draining engines; another one ends the oldest. */
const MAX_DRAINING_ENGINES = 2;
const POLL_INTERVAL_MS = 1000;
/** The pause between two checks of the connections is at least this many times as long as a check takes. */
const MIN_PAUSE_FACTOR = 20;

const RESET_FAILURE =
  'clients of xhttp over HTTP/1.1 may fail for minutes: their connections to the previous engine could not be closed';

export interface DrainingEnginesOptions {
  /** Draining ends after this time, even when clients are still connected. */
  readonly drainMs: number;
  readonly clock?: Clock | undefined;
  note(text: string): void;
  /** Whether an engine has client connections on these endpoints; undefined where the system does not tell. */
  hasConnections(engine: Engine, endpoints: readonly Endpoint[]): Promise<boolean | undefined>;
  /** Resets a process's connections on these endpoints. Resolves with the reason when some are left. */
  resetConnections(pid: number, endpoints: readonly Endpoint[]): Promise<string | undefined>;
  /** Reports the last reading and ends the engine. */
  end(engine: Engine): Promise<void>;
}

/** An engine whose inbounds have been removed. */
export interface DrainingEngine {
  readonly engine: Engine;
  /** Endpoints whose connections may live on. */
  readonly endpoints: readonly Endpoint[];
  /** Endpoints whose connections are reset at once. */
  readonly resetEndpoints: readonly Endpoint[];
  /** Endpoints on which the engine keeps listening although the inbound is removed. */
  readonly keptEndpoints: readonly Endpoint[];
  /** Whether this user, once removed, could still open streams on a connection that the engine cannot close. */
  readonly keepsStreamsOf: (removal: UserStep) => boolean;
  /** The moment since which it drains, in ms since 1970. */
  readonly since: number;
}

/**
 * Engines whose inbounds another engine has taken over. They live until their last connection ends or the drain time is
 * over.
 */
export class DrainingEngines {
  private readonly drains = new Set<DrainingEngine>();
  private readonly endings = new Set<Promise<void>>();
  private readonly clock: Clock;

  constructor(private readonly options: DrainingEnginesOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** Engines whose traffic still counts, oldest first. */
  get engines(): Engine[] {
    return [...this.drains].map(({ engine }) => engine);
  }

  /** Whether there is any engine, including those that are being ended. */
  get hasEngines(): boolean {
    return this.drains.size + this.endings.size > 0;
  }

  add(drain: DrainingEngine): void {
    const { engine } = drain;
    this.drains.add(drain);
    this.options.note(`the previous engine (${engine.place}) keeps running for its connections`);
    void engine.exited.then((exit) => this.endDrain(drain, describeExit(exit)));
    const drainedMs = this.clock.now() - drain.since;
    void this.watchConnections(drain, this.clock.monotonicNow() + this.options.drainMs - drainedMs);
    const [oldest] = this.drains;
    if (this.drains.size > MAX_DRAINING_ENGINES && oldest)
      this.endDrain(oldest, `is ended early: no more than ${MAX_DRAINING_ENGINES} keep running at a time`);
  }

  /** Why another engine that serves these endpoints would end one that drains; undefined when it would not. */
  obstacleFor(endpoints: readonly Endpoint[]): string | undefined {
    if (this.drains.size >= MAX_DRAINING_ENGINES) return `${this.drains.size} previous engines still have connections`;
    const keeping = [...this.drains].some((drain) => keepsOneOf(drain, endpoints));
    return keeping ? 'a previous engine, which still has connections, keeps a port that is needed' : undefined;
  }

  /** Ends engines on which a removed user could still open new streams over an existing connection. */
  endForRemovedUsers(removals: readonly UserStep[]): void {
    for (const drain of this.drains) {
      if (removals.some(drain.keepsStreamsOf))
        this.endDrain(drain, 'is ended early: a removed user could go on using it');
    }
  }

  /** Ends engines that still listen on these endpoints: they would receive a part of the new connections. */
  async endOnPorts(endpoints: readonly Endpoint[]): Promise<void> {
    for (const drain of this.drains) {
      if (keepsOneOf(drain, endpoints)) this.endDrain(drain, 'is ended early: it keeps a port that is needed');
    }
    await Promise.all(this.endings);
  }

  async endAll(): Promise<void> {
    for (const drain of this.drains) this.endDrain(drain, 'is ended');
    await Promise.all(this.endings);
  }

  /** Leaves all engines, which go on without being watched, and waits for those that are being ended. */
  async leaveAll(leave: (engine: Engine) => Promise<void>): Promise<void> {
    const { engines } = this;
    this.drains.clear();
    await Promise.all([...engines.map(leave), ...this.endings]);
  }

  private async watchConnections(drain: DrainingEngine, until: number): Promise<void> {
    const { engine, endpoints, resetEndpoints } = drain;
    const left = engine.pid === undefined ? undefined : await this.options.resetConnections(engine.pid, resetEndpoints);
    let reported = left === undefined;
    while (this.drains.has(drain)) {
      const began = performance.now();
      if (this.clock.monotonicNow() >= until)
        return this.endDrain(drain, 'is ended: the time for its connections is over');
      const connected = await this.options.hasConnections(engine, endpoints);
      if (connected === false) return this.endDrain(drain, 'has no connection left');
      if (!reported) this.options.note(`${RESET_FAILURE}: ${left}`);
      reported = true;
      const pause = Math.max(POLL_INTERVAL_MS, (performance.now() - began) * MIN_PAUSE_FACTOR);
      await this.pause(Math.min(pause, until - this.clock.monotonicNow()));
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.setTimer(ms, resolve));
  }

  private endDrain(drain: DrainingEngine, why: string): void {
    if (!this.drains.delete(drain)) return;
    this.options.note(`the previous engine (${drain.engine.place}) ${why}`);
    const ending = this.options.end(drain.engine).finally(() => this.endings.delete(ending));
    this.endings.add(ending);
  }
}

const keepsOneOf = ({ keptEndpoints }: DrainingEngine, endpoints: readonly Endpoint[]): boolean =>
  keptEndpoints.some((own) => endpoints.some((other) => endpointsCollide(own, other)));
