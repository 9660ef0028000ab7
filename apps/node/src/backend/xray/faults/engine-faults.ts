import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@rampart/program';
import { type Clock, SYSTEM_CLOCK, type Timer } from '../../../concurrency/clock.js';
import { describeDiskProblem } from '../../../storage/disk-problem.js';
import type { BackendConfig } from '../../backend.js';
import { faultOf, faultsNamed, KNOWN_FAULTS } from '../config/faults/known-faults.js';
import { type EnginePlan, planConfig } from '../config/plan/engine-plan.js';
import { type EngineEnd, panicFrames } from './panic-trace.js';

export interface EngineFaultsOptions {
  /** The file with what was learnt. */
  readonly path: string;
  readonly clock?: Clock | undefined;
  /** Called when a feature is to be tried again. */
  onDue(): void;
  /** A message that needs an operator's attention. */
  warn(text: string): void;
}

/** A fault that has ended the engine. */
interface SeenFault {
  readonly name: string;
  /** How often it has ended an engine with this configuration that had the feature. */
  readonly times: number;
  /** Until when the feature is left out, in ms since 1970. */
  readonly until: number;
}

/** How long a feature is left out at first; each time that its fault comes again, twice as long. */
const FIRST_PAUSE_MS = 86_400_000;
/** At most 16 days. */
const MAX_DOUBLINGS = 4;
/** Time until the next attempt where a feature could not be tried. */
const POSTPONED_MS = 3_600_000;
const FORMAT = 1;

/**
 * Learns by which known faults the engine has ended, and leaves their features out of its configuration: users could end it
 * again and again. What was learnt is for one configuration, and survives the node's process.
 */
export class EngineFaults {
  /** Ends of the engine by each known fault. */
  readonly counts = new Map(KNOWN_FAULTS.map(({ name }) => [name, 0]));
  private readonly clock: Clock;
  /** Digest of the configuration for which the faults were seen. */
  private config = '';
  private seen: readonly SeenFault[] = [];
  private loaded?: Promise<void>;
  private written = Promise.resolve();
  private timer?: Timer | undefined;

  constructor(private readonly options: EngineFaultsOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** Reads once what was learnt before. Never fails. */
  load(): Promise<void> {
    this.loaded ??= this.read();
    return this.loaded;
  }

  /** Names of the faults whose features are left out of a configuration now. */
  leftOutOf(config: BackendConfig): readonly string[] {
    return digestOf(config) === this.config ? this.current.map(({ name }) => name) : [];
  }

  /** The plan without the features that are left out now; the plan itself where nothing has to change. */
  reduce(plan: EnginePlan): EnginePlan {
    const missing = this.current.map(({ name }) => name).filter((name) => !plan.leftOut.includes(name));
    return missing.length === 0 ? plan : planConfig(plan.source, [...plan.leftOut, ...missing]);
  }

  /** This configuration runs from now on: what was learnt for another one is forgotten. */
  settle(config: BackendConfig): void {
    const digest = digestOf(config);
    if (digest !== this.config) {
      this.config = digest;
      if (this.seen.length > 0) this.remember([]);
    }
    this.schedule();
  }

  /** Learns from the end of an engine. Returns whether the next one is to run without the feature that has ended it. */
  learn(end: EngineEnd, plan: Pick<EnginePlan, 'leftOut'>): boolean {
    const fault = faultOf(panicFrames(end));
    if (fault === undefined) return false;
    const { name, effect, cause } = fault;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    if (plan.leftOut.includes(name)) return false;
    const times = (this.seen.find((seen) => seen.name === name)?.times ?? 0) + 1;
    const pause = FIRST_PAUSE_MS * 2 ** Math.min(times - 1, MAX_DOUBLINGS);
    const until = this.clock.now() + pause;
    this.remember([...this.seen.filter((seen) => seen.name !== name), { name, times, until }]);
    this.options.warn(`the engine was ended by ${cause} (fault ${name}): until ${isoTime(until)} ${effect}`);
    return true;
  }

  /** Runs a start, and again without the features by whose faults an engine ends meanwhile. */
  async start<T>(config: BackendConfig, work: (plan: EnginePlan) => Promise<T>): Promise<T> {
    await this.load();
    for (;;) {
      const plan = planConfig(config, this.leftOutOf(config));
      try {
        const result = await work(plan);
        this.settle(config);
        return result;
      } catch (error) {
        const end = endOf(error);
        const fault = end && faultOf(panicFrames(end));
        if (end === undefined || fault === undefined || plan.leftOut.includes(fault.name)) throw error;
        this.settle(config);
        this.learn(end, plan);
      }
    }
  }

  /** What is due to be tried again, and still left out of a plan, cannot be tried now. */
  postpone({ leftOut }: Pick<EnginePlan, 'leftOut'>, problem: string): void {
    const until = this.clock.now() + POSTPONED_MS;
    const due = this.seen.filter((seen) => seen.until <= this.clock.now() && leftOut.includes(seen.name));
    this.remember(this.seen.map((seen) => (due.includes(seen) ? { ...seen, until } : seen)));
    for (const { name } of due)
      this.options.warn(`what is left out for fault ${name} is tried again at ${isoTime(until)}: ${problem}`);
  }

  /** What is left out now, why, and until when. */
  get warnings(): string[] {
    return this.current.flatMap(({ name, until }) =>
      faultsNamed([name]).map(
        ({ effect, cause }) =>
          `${effect} until ${isoTime(until)}: ${cause} has ended the engine, which has a fault there (${name}); ` +
          'a change of the configuration brings it back at once',
      ),
    );
  }

  /** Stops the clock: no engine runs. */
  stop(): void {
    this.timer?.stop();
  }

  /** Resolves when what was learnt is on the disk, if the disk works. */
  saved(): Promise<void> {
    return this.written;
  }

  private get current(): readonly SeenFault[] {
    return this.seen.filter(({ until }) => until > this.clock.now());
  }

  private remember(seen: readonly SeenFault[]): void {
    this.seen = seen;
    this.schedule();
    const text = JSON.stringify({ format: FORMAT, config: this.config, seen });
    this.written = this.written.then(() =>
      this.write(text).catch((error: unknown) => this.options.warn(describeDiskProblem('what ends the engine', error))),
    );
  }

  private schedule(): void {
    this.timer?.stop();
    const [next] = this.current.map(({ until }) => until).sort((one, other) => one - other);
    if (next === undefined) return;
    const delay = next - this.clock.now();
    this.timer = this.clock.setTimer(delay, () => {
      this.schedule();
      this.options.onDue();
    });
  }

  private async write(text: string): Promise<void> {
    const { path } = this.options;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  private async read(): Promise<void> {
    const text = await readFile(this.options.path, 'utf8').catch(() => undefined);
    if (text === undefined) return;
    try {
      const { format, config, seen } = JSON.parse(text);
      if (format !== FORMAT || typeof config !== 'string' || !Array.isArray(seen) || !seen.every(isSeenFault))
        throw new Error('it has another form');
      this.config = config;
      this.seen = seen.map(({ name, times, until }) => ({ name, times, until }));
    } catch (error) {
      this.options.warn(`what has ended the engine before cannot be read: ${messageOf(error)}`);
    }
  }
}

/** The end of the engine that made a start fail; undefined where something else did. */
export function endOf(error: unknown): EngineEnd | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'exit' in cause && 'errorLines' in cause
    ? (cause as EngineEnd)
    : undefined;
}

const digestOf = ({ text, excludedInbounds, allowedNetworks }: BackendConfig): string =>
  createHash('sha256')
    .update(JSON.stringify([text, excludedInbounds, allowedNetworks ?? null]))
    .digest('hex');

/** The time in seconds, as ISO 8601 has it. */
const isoTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

function isSeenFault(value: unknown): value is SeenFault {
  if (typeof value !== 'object' || value === null) return false;
  const { name, times, until } = value as Record<string, unknown>;
  return typeof name === 'string' && Number.isSafeInteger(times) && Number.isFinite(until);
}
