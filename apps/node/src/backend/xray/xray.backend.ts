import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { RefusedUser } from '@rampart/node-client';
import { NodeError } from '../../errors/node-error.js';
import type { NodeSettings } from '../../node.settings.js';
import { SerialQueue } from '../../serial-queue.js';
import type { BackendConfig, BackendEvents, BackendUser, ProxyBackend } from '../backend.js';
import { type EnginePlan, planConfig } from './config/engine-plan.js';
import { Engine, skeletonConfig } from './engine.js';
import { foldCase } from './fold-case.js';
import { backoffMs } from './process/backoff.js';
import { checkConfig } from './process/check-config.js';
import { checkPorts, removeStaleSockets } from './process/check-ports.js';
import { type Exit, exitText } from './process/engine-process.js';
import { type LocatedEngine, locateEngine } from './process/locate-engine.js';
import { endOrphans, OWNER_VARIABLE, ownerMark } from './process/orphans.js';
import { parentDeathWrapper } from './process/parent-death.js';
import { clearRunDirectories, createRunDirectory } from './process/run-directory.js';
import { applyPlan } from './users/apply-plan.js';
import { UserDirectory } from './users/user-directory.js';
import { planUser, planUsers, type UserPlan } from './users/user-plan.js';

/** What is to run: the state from which every run of the engine starts. */
interface Target {
  readonly located: LocatedEngine;
  readonly plan: EnginePlan;
  directory: UserDirectory;
}

/** After so long a run an end counts as the first one again. */
const STABLE_MS = 30_000;
const LAST_READING_MS = 3000;

/** Xray-core as a proxy backend. Everything that changes the engine passes one queue. */
export class XrayBackend implements ProxyBackend {
  readonly type = 'xray';
  private readonly queue = new SerialQueue();
  private readonly dataDir: string;
  private target?: Target;
  private engine?: Engine;
  /** Ends in a row, each soon after its start. */
  private failures = 0;
  private retry?: NodeJS.Timeout;

  constructor(
    private readonly settings: NodeSettings,
    private readonly events: BackendEvents,
  ) {
    this.dataDir = resolve(settings.dataDir);
  }

  get version(): string {
    return this.target?.located.version ?? '';
  }

  get running(): boolean {
    return this.engine !== undefined;
  }

  start(config: BackendConfig, users: readonly BackendUser[]): Promise<RefusedUser[]> {
    return this.queue.run(async () => {
      const plan = planConfig(config);
      const located = await locateEngine(this.settings.engine);
      await checkConfig(located.path, this.settings.engine.environment, skeletonConfig(plan), plan.tree);
      const { directory, refused } = UserDirectory.of(plan.inbounds, users);
      await endOrphans(this.dataDir);
      if (this.engine === undefined) await clearRunDirectories(this.dataDir);
      await checkPorts(plan.endpoints, (this.engine && this.target?.plan.endpoints) ?? []);
      await this.replace({ located, plan, directory });
      return refused;
    });
  }

  replaceUsers(users: readonly BackendUser[]): Promise<RefusedUser[]> {
    return this.queue.run(async () => {
      const target = this.started();
      const { directory, refused } = UserDirectory.of(target.plan.inbounds, users);
      const plan = planUsers(target.directory, directory);
      target.directory = directory;
      return [...refused, ...(await this.apply(plan, directory))];
    });
  }

  changeUsers(users: readonly BackendUser[]): Promise<RefusedUser[]> {
    return this.queue.run(async () => {
      const { directory } = this.started();
      const before = new Map(users.map(({ email }) => [foldCase(email), directory.get(email)]));
      const refused = directory.change(users);
      const plan: UserPlan = { removals: [], additions: [] };
      for (const [key, user] of before) planUser(plan, directory, user, directory.get(key));
      return [...refused, ...(await this.apply(plan, directory))];
    });
  }

  async readTraffic(): Promise<void> {
    const { engine } = this;
    try {
      if (engine !== undefined) this.events.traffic(await engine.read());
    } catch (error) {
      // An engine that ended meanwhile has nothing more to tell.
      if (this.engine !== engine) return;
      throw new NodeError('ENGINE_NOT_ANSWERING', 'the engine did not tell its traffic', { cause: error });
    }
  }

  stop(): Promise<void> {
    return this.queue.run(async () => {
      await this.end();
      this.target = undefined;
    });
  }

  private started(): Target {
    if (this.target === undefined) throw new NodeError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
    return this.target;
  }

  /** Runs the new target; when it does not come up, the one before. */
  private async replace(next: Target): Promise<void> {
    const previous = this.target;
    await this.end();
    this.failures = 0;
    try {
      await this.launch(next);
    } catch (error) {
      if (previous !== undefined) {
        this.note('the new configuration did not come up: the one before is put back');
        this.target = previous;
        await this.relaunch(previous);
      }
      throw error;
    }
    this.target = next;
  }

  private async launch({ located, plan, directory }: Target): Promise<void> {
    const { environment, searchPath } = this.settings.engine;
    await removeStaleSockets(plan.endpoints);
    const engine = await Engine.launch({
      path: located.path,
      wrapper: await parentDeathWrapper(searchPath),
      environment: { ...environment, [OWNER_VARIABLE]: await ownerMark(this.dataDir) },
      runDir: await createRunDirectory(this.dataDir),
      plan,
      directory,
      onLine: (line) => this.events.log(line),
    });
    const began = performance.now();
    this.engine = engine;
    void engine.exited.then((exit) => this.onExit(engine, exit, performance.now() - began));
  }

  /** Only for an end that nobody asked for. */
  private async onExit(engine: Engine, exit: Exit, livedMs: number): Promise<void> {
    if (this.engine !== engine) return;
    this.engine = undefined;
    this.failures = livedMs < STABLE_MS ? this.failures : 0;
    this.note(`the engine (process ${engine.pid}) ${exitText(exit)}`);
    await engine.cleanUp();
    this.scheduleRelaunch();
  }

  private scheduleRelaunch(): void {
    const { target } = this;
    const delay = backoffMs(this.failures, Math.random());
    this.failures += 1;
    this.note(`the engine starts again in ${(delay / 1000).toFixed(1)} s`);
    this.retry = setTimeout(() => {
      void this.queue.run(async () => {
        // Unless a Start or a Stop came first.
        if (target !== undefined && target === this.target && this.engine === undefined) await this.relaunch(target);
      });
    }, delay);
  }

  private async relaunch(target: Target): Promise<void> {
    try {
      await this.launch(target);
    } catch (error) {
      this.note(textOf(error));
      this.scheduleRelaunch();
    }
  }

  /** While the engine is down there is nothing to do: its next run begins with the directory as it is. */
  private async apply(plan: UserPlan, directory: UserDirectory): Promise<RefusedUser[]> {
    const { engine } = this;
    if (engine === undefined || plan.removals.length + plan.additions.length === 0) return [];
    try {
      const refused = await applyPlan(engine.api, engine.guards, plan);
      await this.expel(engine, directory, refused);
      return refused;
    } catch (error) {
      // Its next run begins with the users that it should have, whichever it has now.
      this.note(`users were not changed: ${textOf(error)}; the engine is ended and starts again with the right ones`);
      engine.kill();
      await engine.exited;
      return [];
    }
  }

  /** Whoever is refused on one inbound is served on none. */
  private async expel(engine: Engine, directory: UserDirectory, refused: readonly RefusedUser[]): Promise<void> {
    const plan: UserPlan = { removals: [], additions: [] };
    for (const { email } of refused) {
      planUser(plan, directory, directory.get(email), undefined);
      directory.remove(email);
    }
    await applyPlan(engine.api, engine.guards, plan);
  }

  private async end(): Promise<void> {
    const { engine } = this;
    if (engine !== undefined) await this.readLast(engine);
    clearTimeout(this.retry);
    this.engine = undefined;
    await engine?.end();
  }

  private async readLast(engine: Engine): Promise<void> {
    try {
      this.events.traffic(await engine.read(LAST_READING_MS));
    } catch (error) {
      this.note(`the last traffic was not read: ${textOf(error)}`);
    }
  }

  private note(text: string): void {
    this.events.log(`[rampart] ${text}`);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
