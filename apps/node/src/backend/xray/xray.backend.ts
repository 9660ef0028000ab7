import { resolve } from 'node:path';
import type { RefusedUser } from '@rampart/node-client';
import { NodeError } from '../../errors/node-error.js';
import type { NodeSettings } from '../../node.settings.js';
import { SerialQueue } from '../../serial-queue.js';
import type { RawUser } from '../../wire/raw-user.js';
import type { BackendConfig, BackendEvents, ProxyBackend, ServedUsers } from '../backend.js';
import { planConfig } from './config/engine-plan.js';
import { Draining } from './engine/draining.js';
import type { Engine } from './engine/engine.js';
import { handOver } from './engine/handover.js';
import { leavingUsers, restartReason, streamingTags } from './engine/handover-plan.js';
import { Launcher, type PreparedRun, type Program } from './engine/launcher.js';
import { shortage } from './engine/memory.js';
import { Supervisor } from './engine/supervisor.js';
import type { Run, Target } from './engine/target.js';
import { checkFiles } from './process/check-files.js';
import { checkPorts } from './process/check-ports.js';
import { locateEngine } from './process/locate-engine.js';
import { endOrphans } from './process/orphans.js';
import { clearRunDirectories } from './process/run-directory.js';
import { type Change, UserDirectory } from './users/user-directory.js';
import type { UserPlan, UserStep } from './users/user-plan.js';
import { XrayStatistics } from './xray-statistics.js';

const DRAIN_MS = 3_600_000;
/** What a handover takes: as long as an engine needs to come up, and twice that to be worth it. */
const HANDOVER_MS = { fixed: 1000, perUser: 0.2 };
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
  /** Why the last Start cut connections, if it did. */
  private restarted?: string;

  constructor(
    private readonly settings: NodeSettings,
    private readonly events: BackendEvents,
  ) {
    const note = (text: string) => this.note(text);
    this.dataDir = resolve(settings.dataDir);
    this.launcher = new Launcher({ dataDir: this.dataDir, settings: settings.engine, onLine: events.log, note });
    this.supervisor = new Supervisor({
      launch: (target) => this.launcher.launch(target),
      exclusively: (task) => this.queue.run(task),
      note,
      ...(settings.stableMs === undefined ? {} : { stableMs: settings.stableMs }),
    });
    this.draining = new Draining({
      drainMs: settings.drainMs ?? DRAIN_MS,
      end: (engine) => this.end(engine),
      note,
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
    return [...this.supervisor.warnings, ...(this.restarted === undefined ? [] : [this.restarted])];
  }

  start(config: BackendConfig, users: readonly RawUser[]): Promise<RefusedUser[]> {
    return this.queue.run(async () => {
      const plan = planConfig(config);
      await this.clearUp();
      const located = await locateEngine(this.settings.engine);
      const { environment } = this.settings.engine;
      const warnings = await checkFiles(plan, { enginePath: located.path, environment, now: new Date() });
      for (const warning of warnings) this.note(warning);
      // The engine reads the one while we judge the other.
      const [{ directory, refused }, prepared] = await Promise.all([
        UserDirectory.of(plan.inbounds, users),
        this.prove({ located, plan }),
      ]);
      const { run } = this.supervisor;
      await checkPorts(plan.endpoints, run?.target.plan.endpoints ?? []);
      const to = { located, plan, directory };
      if (run === undefined) await this.restart(to, prepared).catch((error: unknown) => this.explain(to, error));
      else refused.push(...(await this.replace(run, to)));
      return refused;
    });
  }

  replaceUsers(users: readonly RawUser[]): Promise<RefusedUser[]> {
    return this.changeDirectory((directory) => directory.replace(users));
  }

  changeUsers(users: readonly RawUser[]): Promise<RefusedUser[]> {
    return this.changeDirectory(async (directory) => directory.change(users));
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

  async endOrphans(): Promise<void> {
    await this.queue.run(() => this.clearUp()).catch((error: unknown) => this.note(textOf(error)));
  }

  stop(): Promise<void> {
    this.giveUp();
    return this.queue.run(async () => {
      this.launcher.resume();
      const engine = this.supervisor.release();
      await Promise.all([engine && this.end(engine), this.draining.endAll()]);
      this.supervisor.forget();
      this.restarted = undefined;
    });
  }

  giveUp(): void {
    this.launcher.giveUp();
  }

  private async clearUp(): Promise<void> {
    await endOrphans(this.dataDir);
    if (!this.running && !this.draining.busy) await clearRunDirectories(this.dataDir);
  }

  /** What runs is not touched before the engine has checked a configuration. Where nothing runs, a start is the check. */
  private async prove(program: Program): Promise<PreparedRun | undefined> {
    if (!this.running) return this.launcher.prepare(program).catch((error: unknown) => this.explain(program, error));
    await this.launcher.check(program);
    return undefined;
  }

  /** The engine tells more of a configuration that it only checks. */
  private async explain(program: Program, error: unknown): Promise<never> {
    await this.launcher.check(program);
    throw error;
  }

  private async replace(run: Run, to: Target): Promise<RefusedUser[]> {
    const reason = restartReason(run.target.plan, to.plan) ?? (await this.shortage(run));
    if (reason === undefined) {
      const next = await this.handOver(run, to, await leavingUsers(run.target, to));
      this.supervisor.keep(next.run);
      this.drain(run);
      this.restarted = undefined;
      return next.refused;
    }
    await this.restart(to);
    this.restarted = `the last change of the configuration restarted the engine: ${reason}`;
    this.note(this.restarted);
    return [];
  }

  /** Ends what runs and brings up what is to run; when that does not come up, what was wanted before. */
  private async restart(to: Target, prepared?: PreparedRun): Promise<void> {
    const { target, run } = this.supervisor;
    this.supervisor.release();
    if (run !== undefined) await this.end(run.engine);
    try {
      this.supervisor.keep({ engine: await this.launcher.launch(to, { prepared }), target: to });
    } catch (error) {
      if (target !== undefined) this.note('the new configuration did not come up: the one before is put back');
      await this.supervisor.relaunch();
      throw error;
    }
    this.restarted = undefined;
  }

  private async handOver(from: Run, to: Target, leaving: readonly UserStep[]) {
    const { engine, refused } = await handOver({
      from,
      to,
      leaving,
      launch: (leaveOut) => this.launcher.launch(to, { leaveOut }),
      discard: (next) => this.end(next),
    });
    return { run: { engine, target: to }, refused };
  }

  private drain({ engine, target: { plan } }: Run): void {
    const streaming = streamingTags(plan);
    const lingers = ({ inbound }: UserStep) => streaming.has(inbound.tag);
    this.draining.add({ engine, endpoints: plan.endpoints, lingers });
  }

  /** Engines that only drain make room first. */
  private async shortage({ engine }: Run): Promise<string | undefined> {
    const reason = await shortage(engine.pid);
    if (reason === undefined || !this.draining.busy) return reason;
    await this.draining.endAll();
    return shortage(engine.pid);
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
      const refused = await engine.users.reconcile(plan, target.directory, () => this.handoverMs(run));
      return refused === 'handover' ? await this.renew(run, plan) : refused;
    } catch (error) {
      // Its next run begins with the users that it should have, whichever it has now.
      this.note(`users were not changed: ${textOf(error)}; the engine is ended and starts again with the right ones`);
      engine.kill();
      await engine.exited;
      return [];
    }
  }

  /** A new engine with the same configuration, because that is quicker than telling the old one who has changed. */
  private async renew(run: Run, plan: UserPlan): Promise<RefusedUser[]> {
    const streaming = streamingTags(run.target.plan);
    const leaving = plan.removals.filter(({ inbound }) => streaming.has(inbound.tag));
    try {
      const next = await this.handOver(run, run.target, leaving);
      this.supervisor.renew(next.run);
      this.drain(run);
      return next.refused;
    } catch (error) {
      this.note(`users are changed one by one: ${textOf(error)}`);
      const refused = await run.engine.users.reconcile(plan, run.target.directory);
      return refused === 'handover' ? [] : refused;
    }
  }

  /** Changes that take longer are made by a handover, where there can be one. */
  private async handoverMs({ engine, target: { plan, directory } }: Run): Promise<number> {
    const possible = restartReason(plan, plan) === undefined && (await shortage(engine.pid)) === undefined;
    return possible ? HANDOVER_MS.fixed + HANDOVER_MS.perUser * directory.count : Number.POSITIVE_INFINITY;
  }

  private async read(engine: Engine): Promise<void> {
    this.events.traffic(await engine.read());
  }

  private end(engine: Engine): Promise<void> {
    return engine.end((reading) => this.events.traffic(reading));
  }

  private note(text: string): void {
    this.events.log(`[rampart] ${text}`);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
