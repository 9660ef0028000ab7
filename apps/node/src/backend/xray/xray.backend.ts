import { resolve } from 'node:path';
import type { RefusedUser } from '@rampart/node-client';
import { SerialQueue } from '../../concurrency/serial-queue.js';
import { NodeError } from '../../errors/node-error.js';
import { passConnectionsOn } from '../../machine/tcp-migration.js';
import type { NodeSettings } from '../../node.settings.js';
import type { RawUser } from '../../wire/raw-user.js';
import type { BackendConfig, BackendEvents, ProxyBackend, Replacement, ServedUsers } from '../backend.js';
import { planConfig } from './config/engine-plan.js';
import type { Run } from './engine/desired-state.js';
import type { Engine } from './engine/engine.js';
import { shortage } from './engine/engine-memory.js';
import { Launcher } from './engine/launcher.js';
import { Supervisor } from './engine/supervisor.js';
import { locateEngine } from './executable/locate-engine.js';
import { WrittenUsers } from './messages/inbound-users.js';
import { checkFiles } from './preflight/check-files.js';
import { checkPorts } from './preflight/check-ports.js';
import { hasConnections } from './process/client-connections.js';
import { cutConnections } from './process/cut-connections.js';
import { endOrphans } from './process/orphaned-engines.js';
import { clearRunDirectories } from './process/run-directory.js';
import { Draining } from './replacement/draining-engines.js';
import { Succession } from './replacement/engine-replacement.js';
import { EngineRights } from './rights/engine-rights.js';
import { type Change, UserDirectory } from './users/user-directory.js';
import type { UserPlan } from './users/user-plan.js';
import { XrayStatistics } from './xray-statistics.js';

const DRAIN_MS = 3_600_000;
const NOBODY = new UserDirectory(new Map());

/** Xray-core as a proxy backend. Everything that changes the engine passes one queue. */
export class XrayBackend implements ProxyBackend {
  readonly type = 'xray';
  readonly statistics: XrayStatistics;
  private readonly queue = new SerialQueue();
  private readonly dataDir: string;
  private readonly launcher: Launcher;
  private readonly supervisor: Supervisor;
  private readonly draining: Draining;
  private readonly succession: Succession;
  private rights?: Promise<EngineRights>;
  private rightsWarnings: readonly string[] = [];
  private cleared = false;
  /** What is odd about the files of the running configuration. */
  private fileWarnings: readonly string[] = [];

  constructor(
    private readonly settings: NodeSettings,
    private readonly events: BackendEvents,
  ) {
    const note = (text: string) => this.note(text);
    this.dataDir = resolve(settings.dataDir);
    const rights = () => this.findRights();
    this.launcher = new Launcher({
      ...{ dataDir: this.dataDir, settings: settings.engine, rights, note },
      onLine: events.log,
    });
    this.supervisor = new Supervisor({
      launch: (target) => this.launcher.launch(target),
      exclusively: (task) => this.queue.run(task),
      note,
      ...(settings.stableMs === undefined ? {} : { stableMs: settings.stableMs }),
    });
    this.draining = new Draining({
      drainMs: settings.drainMs ?? DRAIN_MS,
      end: (engine) => this.end(engine),
      hasConnections: async (pid, endpoints) => hasConnections(pid, endpoints, await rights()),
      cutConnections: async (pid, endpoints) =>
        cutConnections(pid, endpoints, { searchPath: settings.engine.searchPath, rights: await rights() }),
      note,
    });
    const { launcher, supervisor, draining } = this;
    this.succession = new Succession({
      ...{ launcher, supervisor, draining, note },
      shortage: ({ pid }) => shortage(pid, settings.availableMemory?.()),
      end: (engine) => this.end(engine),
    });
    this.statistics = new XrayStatistics({
      serving: () => this.supervisor.run?.engine,
      draining: () => this.draining.engines,
    });
  }

  get version(): string {
    return this.supervisor.target?.located.version ?? '';
  }

  get running(): boolean {
    return this.supervisor.run !== undefined;
  }

  get users(): ServedUsers {
    return this.supervisor.target?.directory ?? NOBODY;
  }

  get restarts(): number {
    return this.supervisor.restarts;
  }

  get lastExit(): string {
    return this.supervisor.lastExit;
  }

  get warnings(): readonly string[] {
    const { supervisor, succession, launcher } = this;
    return [
      ...[...supervisor.warnings, ...succession.warnings, ...this.fileWarnings],
      ...[...this.rightsWarnings, ...launcher.warnings],
    ];
  }

  start(config: BackendConfig, users: readonly RawUser[]): Promise<RefusedUser[]> {
    return this.queue.run(async () => {
      const plan = planConfig(config);
      await this.clearUp();
      const located = await locateEngine(this.settings.engine);
      const { environment } = this.settings.engine;
      const warnings = await checkFiles(plan, {
        ...{ enginePath: located.path, environment, now: new Date() },
        rights: await this.findRights(),
      });
      for (const warning of warnings) this.note(warning);
      const program = { located, plan };
      const prepared = this.running ? undefined : await this.launcher.prepare(program);
      const written = prepared && new WrittenUsers(plan.inbounds);
      try {
        // The engine reads the one while we judge the other.
        const [{ directory, refused }] = await Promise.all([
          UserDirectory.of(plan.inbounds, users, (steps) => written?.add(steps)),
          prepared?.config ?? this.launcher.check(program),
        ]);
        const { run } = this.supervisor;
        await this.draining.endOn(plan.endpoints);
        await checkPorts(plan.endpoints, run?.target.plan.endpoints ?? [], await this.findRights());
        const to = { ...program, directory };
        if (run === undefined) await this.succession.start(to, { prepared, written });
        else refused.push(...(await this.succession.replace(run, to)));
        this.fileWarnings = warnings;
        return refused;
      } catch (error) {
        if (prepared === undefined) throw error;
        await this.launcher.discard(prepared);
        // It tells more of a configuration that it only checks.
        await this.launcher.check(program);
        throw error;
      }
    });
  }

  async replaceUsers(users: readonly RawUser[]): Promise<Replacement> {
    let changed: readonly RawUser[] | undefined;
    const refused = await this.changeDirectory(async (directory) => {
      const exchange = await directory.replace(users);
      changed ??= exchange.changed;
      return exchange;
    });
    return { refused, changed: changed ?? [] };
  }

  changeUsers(users: readonly RawUser[]): Promise<RefusedUser[]> {
    return this.changeDirectory((directory) => directory.change(users));
  }

  async readTraffic(): Promise<void> {
    const engine = this.supervisor.run?.engine;
    // One that drains may end at any moment, after a last reading of its own.
    const draining = this.draining.engines.map((other) => this.read(other));
    const [result] = await Promise.allSettled([engine && this.read(engine), ...draining]);
    // An engine that ended meanwhile has nothing more to tell.
    if (result?.status !== 'rejected' || this.supervisor.run?.engine !== engine) return;
    const { reason } = result;
    throw new NodeError('ENGINE_NOT_ANSWERING', 'the engine did not tell its traffic', { cause: reason });
  }

  async prepare(): Promise<void> {
    const { engine } = this.settings;
    const ready = [this.clearUp(), locateEngine(engine), this.findRights()];
    const [cleared] = await Promise.allSettled(ready);
    if (cleared?.status === 'rejected') this.note(textOf(cleared.reason));
    const passing = passConnectionsOn(undefined, undefined, this.settings.setsKernel);
    if (passing !== undefined) this.note(passing);
  }

  stop(): Promise<void> {
    this.giveUp(new NodeError('INTERRUPTED', 'Stop came while the engine was starting'));
    return this.queue.run(async () => {
      this.launcher.resume();
      const engine = this.supervisor.release();
      await Promise.all([engine && this.end(engine), this.draining.endAll()]);
      this.supervisor.forget();
      this.succession.forget();
      this.fileWarnings = [];
    });
  }

  giveUp(reason?: NodeError): void {
    this.launcher.giveUp(reason);
  }

  /** Once: from then on nobody else runs an engine in this directory. */
  private async clearUp(): Promise<void> {
    if (this.cleared) return;
    const rights = await this.findRights();
    await endOrphans(this.dataDir, rights);
    await clearRunDirectories(this.dataDir, rights);
    this.cleared = true;
  }

  private findRights(): Promise<EngineRights> {
    const { searchPath, account } = this.settings.engine;
    this.rights ??= EngineRights.find(searchPath, account).then((rights) => {
      this.rightsWarnings = rights.warnings;
      for (const warning of rights.warnings) this.note(warning);
      return rights;
    });
    return this.rights;
  }

  private changeDirectory(change: (directory: UserDirectory) => Promise<Change>): Promise<RefusedUser[]> {
    return this.queue.run(async () => {
      const { target, run } = this.supervisor;
      if (target === undefined) throw new NodeError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
      const { plan, refused } = await change(target.directory);
      // While the engine is down there is nothing to do: its next run begins with the directory as it is.
      if (run === undefined) return refused;
      // What took the place of the wanted has users of its own.
      const live = run.target === target ? plan : (await change(run.target.directory)).plan;
      return [...refused, ...(await this.apply(run, live))];
    });
  }

  private async apply(run: Run, plan: UserPlan): Promise<RefusedUser[]> {
    if (plan.removals.length + plan.additions.length === 0) return [];
    const { engine, target } = run;
    this.draining.usersRemoved(plan.removals);
    try {
      const refused = await engine.users.reconcile(plan, target.directory, () => this.succession.renewalMs(run));
      return refused === 'handover' ? await this.succession.renew(run, plan) : refused;
    } catch (error) {
      // Its next run begins with the users that it should have, whichever it has now.
      this.note(`users were not changed: ${textOf(error)}; the engine is ended and starts again with the right ones`);
      engine.kill();
      await engine.exited;
      return [];
    }
  }

  private async read(engine: Engine): Promise<void> {
    this.events.traffic(await engine.read());
  }

  private end(engine: Engine): Promise<void> {
    return engine.end((reading) => this.events.traffic(reading));
  }

  private note(text: string): void {
    if (this.events.note) this.events.note(text);
    else this.events.log(`[rampart] ${text}`);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
