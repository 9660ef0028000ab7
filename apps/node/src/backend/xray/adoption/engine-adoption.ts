import type { RefusedUser } from '@rampart/node-client';
import { messageOf } from '@rampart/program';
import type { RawUser } from '../../../wire/raw-user.js';
import type { BackendEvents, EngineRuns } from '../../backend.js';
import type { CountedBefore } from '../api/counter-differences.js';
import { EngineApi } from '../api/engine-api.js';
import { planConfig } from '../config/plan/engine-plan.js';
import type { DesiredState } from '../engine/desired-state.js';
import { Engine, type EngineAdoptionOptions, type RunningEngine } from '../engine/engine.js';
import type { EngineLauncher } from '../engine/launcher.js';
import type { LocatedEngine } from '../executable/locate-engine.js';
import { InboundTemplates } from '../messages/inbound-template.js';
import { aliasOf } from '../names/reserved.js';
import type { EngineRights } from '../rights/engine-rights.js';
import { UserDirectory } from '../users/user-directory.js';
import type { UserPlan } from '../users/user-plan.js';
import { findLeftEngines, type LeftEngine, releaseEngine } from './find-engines.js';
import { differenceOf } from './user-difference.js';

export interface EngineAdoptionDependencies extends Pick<BackendEvents, 'lastTraffic'> {
  readonly dataDir: string;
  readonly launcher: EngineLauncher;
  readonly runs: EngineRuns | undefined;
  /** Lets an engine go on only for its connections. */
  drain(run: RunningEngine, since: number | undefined): Promise<void>;
  note(text: string): void;
}

const NO_TEMPLATES = new InboundTemplates(new Map(), []);

/** An engine that was taken over. */
export interface AdoptedEngine extends RunningEngine {
  readonly refused: RefusedUser[];
  /** Digest of what it was started with. */
  readonly digest: string;
  /** Whether another engine has to take its place, whatever it was started with. */
  readonly incomplete: boolean;
}

/** Takes over engines that an earlier node has left, with their connections and counters. */
export class EngineAdoption {
  private left: LeftEngine[] = [];
  private rights: EngineRights | undefined;
  private readonly engines = new WeakMap<LeftEngine, Engine>();

  constructor(private readonly dependencies: EngineAdoptionDependencies) {}

  /** Process ids of the engines that can be taken over. */
  get pids(): (number | undefined)[] {
    return this.left.map(({ process }) => process.pid);
  }

  /** Run directories of the engines that can be taken over. */
  get directories(): string[] {
    return this.left.map(({ kept }) => kept.directory);
  }

  /** Finds engines and keeps them running until they are taken over. @throws NodeError `START_FAILED`: another node directs one */
  async find(rights: EngineRights): Promise<void> {
    const { dataDir, launcher, runs, note } = this.dependencies;
    this.rights = rights;
    const lineFilter = launcher.lineFilter.bind(launcher);
    this.left = await findLeftEngines({ dataDir, rights, lineFilter, note });
    runs?.keepRuns(new Set(this.left.map(({ kept }) => kept.id)));
  }

  /**
   * Takes over the engine that serves, and brings it to these users; undefined when there is none. All others only keep
   * their connections. Engines that cannot be taken over are ended. Fails when the start is aborted; what was not taken
   * over is still there then.
   * @param located the engine's program now, which may be another one than before
   */
  async adopt(located: LocatedEngine, users: readonly RawUser[]): Promise<AdoptedEngine | undefined> {
    this.left.sort((one, other) => other.record.startedAt - one.record.startedAt);
    const serving = this.left.filter(({ record }) => record.drainingSince === undefined);
    // After a crash during a handover two engines serve; the one with all inbounds goes on.
    const candidates = [...serving.filter(isComplete), ...serving.filter((engine) => !isComplete(engine))];
    let adopted: AdoptedEngine | undefined;
    for (const engine of candidates) {
      adopted = await this.tryOrEnd(engine, () => this.takeOver(engine, located, users));
      if (adopted !== undefined) break;
    }
    if (adopted === undefined) this.dependencies.launcher.signal.throwIfAborted();
    for (const engine of [...this.left]) await this.tryOrEnd(engine, () => this.drain(engine));
    return adopted;
  }

  /** Ends all engines that were not taken over. */
  async endAll(): Promise<void> {
    await Promise.all(this.left.splice(0).map((engine) => this.end(engine)));
  }

  /** Leaves all engines that were not taken over to the next node. */
  async leaveAll(): Promise<void> {
    await Promise.all(this.left.splice(0).map(releaseEngine));
  }

  private async takeOver(left: LeftEngine, located: LocatedEngine, users: readonly RawUser[]): Promise<AdoptedEngine> {
    const { launcher, note } = this.dependencies;
    const { record, process } = left;
    const plan = planConfig(record.config, record.leftOut);
    const program = { located: record.program, plan };
    // The program that runs may be gone after an upgrade.
    const templates = await launcher.templatesOf({ located, plan }).catch(() => launcher.templatesOf(program));
    const { directory, refused } = await UserDirectory.fromUsers(plan.inbounds, users);
    const desired = { ...program, directory };
    const { inbounds, changes } = await readDifferences(left, desired);
    const countedBefore = await this.countedBefore(left);
    const engine = this.engineOf(left, { tree: plan.tree, templates, inbounds, countedBefore });
    const others = await engine.users.reconcile(changes, directory);
    const count = changes.removals.length + changes.additions.length;
    note(
      `the engine of the previous node (process ${record.identity.pid}) goes on, with its connections; ${count} entries of users differed`,
    );
    return {
      ...{ engine, desired, digest: record.digest },
      refused: [...refused, ...(others === 'handover' ? [] : others)],
      incomplete: !isComplete(left) || process.pid === undefined,
    };
  }

  private async drain(left: LeftEngine): Promise<void> {
    const plan = planConfig(left.record.config, left.record.leftOut);
    const desired = { located: left.record.program, plan, directory: new UserDirectory(new Map()) };
    const countedBefore = await this.countedBefore(left);
    const engine = this.engineOf(left, { tree: plan.tree, templates: NO_TEMPLATES, countedBefore });
    for (const tag of left.liveTags) await engine.api.removeInbound(tag);
    await this.dependencies.drain({ engine, desired }, left.record.drainingSince);
  }

  /** What has been counted of its traffic. Where the records of it are lost, all that its counters show now is taken for that. */
  private async countedBefore(left: LeftEngine): Promise<CountedBefore> {
    const counted = this.recordedTraffic(left);
    if (counted !== 'everything') return counted;
    const api = new EngineApi(left.channel.socketPath);
    try {
      const shown = await api.readTraffic();
      // Else the next node would not know either what is counted, and leave out all traffic up to its start.
      await this.dependencies.runs?.beginRun(left.record.run, shown);
      return shown;
    } finally {
      api.close();
    }
  }

  private recordedTraffic({ record }: LeftEngine): CountedBefore {
    const { runs, note } = this.dependencies;
    const counted = runs?.countedIn(record.run);
    if (counted === undefined) note('the traffic of the engine up to now is not counted: its records are lost');
    return counted ?? 'everything';
  }

  private engineOf(
    left: LeftEngine,
    known: Pick<EngineAdoptionOptions, 'tree' | 'templates' | 'inbounds' | 'countedBefore'>,
  ): Engine {
    const { process, kept, channel } = left;
    const { launcher, runs, note, lastTraffic: onReading } = this.dependencies;
    const { signal } = launcher;
    const { rights } = this;
    const engine = Engine.adopt({
      ...{ process, kept, channel, note, onReading, rights, signal, runDir: kept.directory },
      ...known,
    });
    this.engines.set(left, engine);
    if (runs) void engine.exited.then(() => runs.endRun(kept.id));
    return engine;
  }

  private async tryOrEnd<T>(left: LeftEngine, work: () => Promise<T>): Promise<T | undefined> {
    const { launcher, note } = this.dependencies;
    let result: T | undefined;
    try {
      result = await work();
    } catch (error) {
      // A node that shuts down leaves it to the next one, and a Stop ends it.
      if (launcher.signal.aborted && !this.engines.has(left)) return undefined;
      const { pid } = left.record.identity;
      note(`the engine of the previous node (process ${pid}) is ended: ${messageOf(error)}`);
      await this.end(left);
    }
    this.left = this.left.filter((other) => other !== left);
    return result;
  }

  /** Ends an engine after a last reading of its traffic. */
  private async end(left: LeftEngine): Promise<void> {
    const engine =
      this.engines.get(left) ??
      this.engineOf(left, {
        tree: undefined,
        templates: NO_TEMPLATES,
        countedBefore: this.recordedTraffic(left),
      });
    await engine.end();
  }
}

/** Whether an engine has all inbounds of its configuration, each under its tag or its alias. */
function isComplete({ record, liveTags }: LeftEngine): boolean {
  try {
    return [...planConfig(record.config, record.leftOut).handovers.keys()].every(
      (tag) => liveTagOf(liveTags, tag) !== undefined,
    );
  } catch {
    return false;
  }
}

/** The tag of an inbound in the engine; undefined when the engine does not have it. */
function liveTagOf(liveTags: ReadonlySet<string>, tag: string): string | undefined {
  return [tag, aliasOf(tag)].find((name) => liveTags.has(name));
}

async function readDifferences({ channel, liveTags }: LeftEngine, { plan, directory }: DesiredState) {
  const changes: UserPlan = { removals: [], additions: [] };
  const inbounds = new Map<string, { tag: string; users: number; guards: number }>();
  const api = new EngineApi(channel.socketPath);
  try {
    for (const [tag, inbound] of plan.inbounds) {
      const live = liveTagOf(liveTags, tag);
      if (live === undefined) continue;
      const { removals, additions, users, guards } = await differenceOf(
        inbound,
        await api.listUsers(live),
        directory.members(tag),
      );
      inbounds.set(tag, { tag: live, users, guards });
      for (const step of removals) changes.removals.push(step);
      for (const step of additions) changes.additions.push(step);
    }
  } finally {
    api.close();
  }
  return { inbounds, changes };
}
