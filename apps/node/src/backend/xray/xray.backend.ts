import { join, resolve } from 'node:path';
import type { ProbeRequest, ProbeResponse, RefusedUser } from '@rampart/node-client';
import { messageOf } from '@rampart/program';
import { SYSTEM_CLOCK } from '../../concurrency/clock.js';
import { SerialQueue } from '../../concurrency/serial-queue.js';
import type { NodeSettings } from '../../env/node.settings.js';
import { NodeError } from '../../errors/node-error.js';
import { enableTcpMigration } from '../../machine/tcp-migration.js';
import { type RawUser, removalMessage } from '../../wire/raw-user.js';
import type {
  BackendConfig,
  BackendEvents,
  BackendFigures,
  ProxyBackend,
  ServedUsers,
  TrafficReading,
  UserReplacement,
} from '../backend.js';
import { EngineAdoption } from './adoption/engine-adoption.js';
import type { Endpoint } from './config/endpoints.js';
import { type EnginePlan, planConfig } from './config/plan/engine-plan.js';
import type { DesiredState } from './engine/desired-state.js';
import { busyText, type Engine, type RunningEngine } from './engine/engine.js';
import { memoryShortage, residentBytes } from './engine/engine-memory.js';
import { isSameProgram } from './engine/last-good-state.js';
import { EngineLauncher, type EngineProgram } from './engine/launcher.js';
import { Supervisor } from './engine/supervisor.js';
import { locateEngine } from './executable/locate-engine.js';
import { EngineFaults } from './faults/engine-faults.js';
import { EncodedUsers } from './messages/inbound-users.js';
import { checkFiles } from './preflight/check-files.js';
import { checkPorts } from './preflight/check-ports.js';
import { ClientProbes } from './probe/client-probes.js';
import { hasClientConnections, hasOtherClientConnections } from './process/client-connections.js';
import { endOrphanedEngines } from './process/orphaned-engines.js';
import { resetConnections } from './process/reset-connections.js';
import { clearRunDirectories } from './process/run-directory.js';
import { DrainingEngines } from './replacement/draining-engines.js';
import { EngineReplacement } from './replacement/engine-replacement.js';
import { findLeavingUsers } from './replacement/handover-plan.js';
import { EngineRights } from './rights/engine-rights.js';
import { type DirectoryChange, type DirectoryReplacement, UserDirectory } from './users/user-directory.js';
import type { UserPlan } from './users/user-plan.js';
import { XrayStatistics } from './xray-statistics.js';

const DRAIN_MS = 3_600_000;
type UserOperation = 'replaceAll' | 'changeUsers';
type UserChange = DirectoryChange & Partial<DirectoryReplacement>;

const EMPTY_DIRECTORY = new UserDirectory(new Map());

/** Xray-core as a proxy backend. A queue serialises all changes of the engine. */
export class XrayBackend implements ProxyBackend {
  readonly type = 'xray';
  readonly statistics: XrayStatistics;
  private readonly queue = new SerialQueue();
  private readonly dataDir: string;
  private readonly launcher: EngineLauncher;
  private readonly supervisor: Supervisor;
  private readonly draining: DrainingEngines;
  private readonly replacement: EngineReplacement;
  private readonly probes: ClientProbes;
  private readonly adoption: EngineAdoption;
  private readonly faults: EngineFaults;
  private rights?: Promise<EngineRights>;
  private rightsWarnings: readonly string[] = [];
  private cleared: Promise<void> | undefined;
  /** Readings of a `readTraffic` that failed because another engine did not answer. */
  private readonly unreported: TrafficReading[] = [];
  /** Warnings about files of the running configuration. */
  private fileWarnings: readonly string[] = [];

  constructor(
    private readonly settings: NodeSettings,
    private readonly events: BackendEvents,
  ) {
    const note = (text: string) => this.note(text);
    const { clock = SYSTEM_CLOCK } = settings;
    this.dataDir = resolve(settings.dataDir);
    const rights = () => this.findRights();
    this.launcher = new EngineLauncher({
      ...{ dataDir: this.dataDir, settings: settings.engine, rights, note },
      ...{ onLine: events.log, keepSeconds: settings.keepSeconds ?? 0, runs: events.runs },
      onReading: (reading) => events.lastTraffic(reading),
    });
    this.faults = new EngineFaults({
      path: join(this.dataDir, 'state', 'engine-faults'),
      clock,
      onDue: () => void this.queue.run(() => this.tryWholePlan()),
      warn: (text) => this.warn(text),
    });
    this.supervisor = new Supervisor({
      launch: (target) => this.launcher.launch(target),
      retryDesired: (run, desired) => this.replacement.retryDesired(run, desired),
      faults: this.faults,
      runExclusively: (task) => this.queue.run(task),
      note,
      warn: (text) => this.warn(text),
      clock,
    });
    this.draining = new DrainingEngines({
      drainMs: settings.drainMs ?? DRAIN_MS,
      clock,
      end: (engine) => engine.end(),
      hasConnections: (engine, endpoints) => this.hasConnections(engine, endpoints),
      resetConnections: async (pid, endpoints) =>
        resetConnections(pid, endpoints, { searchPath: settings.engine.searchPath, rights: await rights() }),
      note,
    });
    const { launcher, supervisor, draining } = this;
    const replacement = new EngineReplacement({
      ...{ launcher, supervisor, draining, clock, note },
      memoryShortage: ({ pid }) => memoryShortage(pid, settings.availableMemory?.()),
      isIdle: (run) => this.isIdle(run),
      end: (engine) => engine.end(),
    });
    this.probes = new ClientProbes({ dataDir: this.dataDir, settings, rights, ready: () => this.clearUp() });
    this.replacement = replacement;
    this.adoption = new EngineAdoption({
      ...{ dataDir: this.dataDir, launcher, note, runs: events.runs },
      drain: async (run, since) => replacement.drainEngine(run, since),
      lastTraffic: (reading) => events.lastTraffic(reading),
    });
    this.statistics = new XrayStatistics({
      serving: () => this.supervisor.running?.engine,
      draining: () => this.draining.engines,
    });
  }

  get version(): string {
    return this.supervisor.desired?.located.version ?? '';
  }

  get running(): boolean {
    return this.supervisor.running !== undefined;
  }

  get users(): ServedUsers {
    return this.supervisor.desired?.directory ?? EMPTY_DIRECTORY;
  }

  get restarts(): number {
    return this.supervisor.restarts;
  }

  get lastExit(): string {
    return this.supervisor.lastExit;
  }

  get warnings(): readonly string[] {
    const { supervisor, replacement, launcher, faults } = this;
    const { busySince, load } = supervisor.running?.engine ?? {};
    return [
      ...(busySince === undefined ? [] : [busyText(busySince)]),
      ...(load?.problem === undefined ? [] : [load.problem]),
      ...[...supervisor.warnings, ...replacement.warnings, ...this.fileWarnings],
      ...(supervisor.desired === undefined ? [] : faults.warnings),
      ...[...this.rightsWarnings, ...launcher.warnings],
    ];
  }

  get hasFallenBack(): boolean {
    return this.supervisor.hasFallenBack;
  }

  async figures(): Promise<BackendFigures> {
    const { replacement, draining, supervisor } = this;
    const engine = supervisor.running?.engine;
    const serving = await residentBytes(engine?.pid);
    const others = await Promise.all(draining.engines.map(({ pid }) => residentBytes(pid)));
    return {
      memory: { serving, draining: others.reduce((sum, bytes) => sum + bytes, 0) },
      draining: others.length,
      handovers: { ...replacement.handovers },
      restartsForChanges: replacement.restarts,
      accepting: engine?.load?.isAccepting ?? true,
      files: engine?.load?.files,
      faults: Object.fromEntries(this.faults.counts),
    };
  }

  start(config: BackendConfig, users: readonly RawUser[]): Promise<RefusedUser[]> {
    return this.queue.run(() => this.faults.start(config, (plan) => this.startPlan(plan, users)));
  }

  private async startPlan(plan: EnginePlan, users: readonly RawUser[]): Promise<RefusedUser[]> {
    await this.clearUp();
    const located = await locateEngine(this.settings.engine);
    const program = { located, plan };
    const { desired } = this.supervisor;
    if (desired !== undefined && isSameProgram(desired, program)) return this.startAgain(desired, users);
    const adopted = await this.adopt(program, users);
    if (adopted !== undefined) {
      this.fileWarnings = await this.checkFiles(program).catch((error: unknown) => [messageOf(error)]);
      return adopted;
    }
    const warnings = await this.checkFiles(program);
    const prepared = this.running ? undefined : await this.launcher.prepareRun(program);
    const written = prepared && new EncodedUsers(plan.inbounds);
    try {
      // The engine reads the configuration while the node validates the users.
      const [{ directory, refused }] = await Promise.all([
        UserDirectory.fromUsers(plan.inbounds, users, (steps) => written?.addSteps(steps)),
        prepared?.config ?? this.launcher.checkConfig(program),
      ]);
      const { running } = this.supervisor;
      await this.draining.endOnPorts(plan.endpoints);
      await checkPorts(plan.endpoints, running?.desired.plan.endpoints ?? [], await this.findRights());
      const to = { ...program, directory };
      if (running === undefined) await this.replacement.startEngine(to, { prepared, encodedUsers: written });
      else refused.push(...(await this.replacement.replaceConfig(running, to)));
      this.fileWarnings = warnings;
      return refused;
    } catch (error) {
      if (prepared === undefined) throw error;
      await this.launcher.discardRun(prepared);
      // The engine's check gives a more precise error than its run.
      await this.launcher.checkConfig(program);
      throw error;
    }
  }

  /** Tries features again that were left out for a time, without cutting connections. */
  private async tryWholePlan(): Promise<void> {
    const { desired, running } = this.supervisor;
    if (desired === undefined) return;
    const plan = planConfig(desired.plan.source, this.faults.leftOutOf(desired.plan.source));
    if (plan.leftOut.length === desired.plan.leftOut.length) return;
    const problem =
      running?.desired === desired
        ? await this.replacement.tryConfig(running, { ...desired, plan })
        : 'the engine does not run with what is wanted';
    if (problem !== undefined) this.faults.postpone(desired.plan, problem);
    else this.note('what was left out for a fault of the engine is tried again');
  }

  async replaceUsers(users: readonly RawUser[]): Promise<UserReplacement> {
    const { refused, changed = [] } = await this.updateUsers('replaceAll', users);
    return { refused, changed };
  }

  async changeUsers(users: readonly RawUser[]): Promise<RefusedUser[]> {
    return (await this.updateUsers('changeUsers', users)).refused;
  }

  async readTraffic(): Promise<TrafficReading[]> {
    const engine = this.supervisor.running?.engine;
    const draining = this.draining.engines.map((other) => other.readTraffic());
    const [serving, ...others] = await Promise.allSettled([engine?.readTraffic(), ...draining]);
    // A draining engine that does not answer may just be ending; its last reading is reported as an event.
    for (const result of [serving, ...others]) {
      if (result.status === 'fulfilled' && result.value !== undefined) this.unreported.push(result.value);
    }
    // An engine that ended during the call has no more traffic to report.
    if (serving.status === 'rejected' && this.supervisor.running?.engine === engine) {
      const cause = serving.reason;
      throw new NodeError('ENGINE_NOT_ANSWERING', 'the engine did not report its traffic', { cause });
    }
    return this.unreported.splice(0);
  }

  async prepare(): Promise<void> {
    const { engine } = this.settings;
    const ready = [this.clearUp(), locateEngine(engine), this.findRights()];
    const [cleared] = await Promise.allSettled(ready);
    if (cleared?.status === 'rejected') this.warn(messageOf(cleared.reason));
    const passing = enableTcpMigration(undefined, undefined, this.settings.setsKernel);
    if (passing !== undefined) this.note(passing);
  }

  stop(): Promise<void> {
    this.abortStart(new NodeError('INTERRUPTED', 'Stop came while the engine was starting'));
    return this.queue.run(async () => {
      this.launcher.allowLaunches();
      const engine = this.supervisor.stopWatching();
      await Promise.all([engine?.end(), this.draining.endAll(), this.adoption.endAll()]);
      for (const reading of this.unreported.splice(0)) this.events.lastTraffic(reading);
      this.supervisor.clearDesiredState();
      this.faults.stop();
      this.replacement.clearWarning();
      this.fileWarnings = [];
    });
  }

  probe(request: ProbeRequest): Promise<ProbeResponse> {
    return this.probes.run(request);
  }

  endProbes(): Promise<void> {
    return this.probes.endAll();
  }

  endLeftEngines(): Promise<void> {
    return this.stop();
  }

  leave(): Promise<void> {
    return this.queue.run(async () => {
      this.faults.stop();
      const leave = (engine: Engine) => engine.leave();
      const serving = this.supervisor.stopWatching();
      await Promise.all([serving && leave(serving), this.draining.leaveAll(leave), this.adoption.leaveAll()]);
      for (const reading of this.unreported.splice(0)) this.events.lastTraffic(reading);
    });
  }

  abortStart(reason?: NodeError): void {
    this.launcher.abortLaunches(reason);
  }

  /** Succeeds once: afterwards no other node runs an engine for this directory. */
  private clearUp(): Promise<void> {
    this.cleared ??= this.clearUpOnce().catch(async (error: unknown) => {
      // The next attempt has to lock them again.
      await this.adoption.leaveAll();
      this.cleared = undefined;
      throw error;
    });
    return this.cleared;
  }

  private async clearUpOnce(): Promise<void> {
    const rights = await this.findRights();
    const { adoption } = this;
    await adoption.find(rights);
    await endOrphanedEngines(this.dataDir, rights, adoption.pids);
    await clearRunDirectories(this.dataDir, rights, adoption.directories);
  }

  /**
   * Takes over an engine that the previous node has left. Returns its refused users, or undefined when the engine does
   * not run exactly this program: then it has to be replaced like any other.
   */
  private async adopt(program: EngineProgram, users: readonly RawUser[]): Promise<RefusedUser[] | undefined> {
    if (this.running) return undefined;
    const adopted = await this.adoption.adopt(program.located, users);
    if (adopted === undefined) return undefined;
    this.supervisor.superviseNewState(adopted);
    const current = !adopted.incomplete && adopted.digest === (await this.launcher.digestOf(program));
    return current ? adopted.refused : undefined;
  }

  /** A Start with the present configuration comes when an engine has ended: it must not begin the count of its failures anew. */
  private async startAgain(desired: DesiredState, users: readonly RawUser[]): Promise<RefusedUser[]> {
    if (this.running) return (await this.applyUsers('replaceAll', users)).refused;
    const warnings = await this.checkFiles(desired);
    const { directory, refused } = await UserDirectory.fromUsers(desired.plan.inbounds, users);
    const to = { ...desired, directory };
    this.draining.endForRemovedUsers(await findLeavingUsers(desired, to));
    await this.supervisor.restartWith(to);
    this.fileWarnings = warnings;
    return refused;
  }

  private async checkFiles({ located, plan }: EngineProgram): Promise<readonly string[]> {
    const { environment } = this.settings.engine;
    const warnings = await checkFiles(plan, {
      ...{ enginePath: located.path, environment, now: new Date() },
      rights: await this.findRights(),
    });
    for (const warning of warnings) this.warn(warning);
    return warnings;
  }

  private findRights(): Promise<EngineRights> {
    const { searchPath, account, files } = this.settings.engine;
    this.rights ??= EngineRights.detect(searchPath, account, files).then((rights) => {
      this.rightsWarnings = rights.warnings;
      for (const warning of rights.warnings) this.warn(warning);
      return rights;
    });
    return this.rights;
  }

  private updateUsers(operation: UserOperation, users: readonly RawUser[]): Promise<UserChange> {
    return this.queue.run(() => this.applyUsers(operation, users));
  }

  /** Changes the directory of desired users, then the running engine. */
  private async applyUsers(operation: UserOperation, users: readonly RawUser[]): Promise<UserChange> {
    const { desired, running } = this.supervisor;
    if (desired === undefined) throw new NodeError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
    const change = await desired.directory[operation](users);
    this.draining.endForRemovedUsers(change.plan.removals);
    // While the engine is down nothing else has to change: its next run starts with this directory.
    if (running === undefined) return change;
    if (running.desired === desired)
      return { ...change, refused: [...change.refused, ...(await this.apply(running, change.plan))] };
    await this.changeFallback(running, operation, withoutRefused(users, change.refused));
    this.supervisor.recognizeDesired();
    if (operation === 'replaceAll') this.supervisor.hastenRetry();
    return change;
  }

  /** A state that runs instead of the desired one has a directory of its own, which gets the accepted changes. */
  private async changeFallback(run: RunningEngine, operation: UserOperation, users: readonly RawUser[]): Promise<void> {
    const { directory } = run.desired;
    const { plan, refused } = await directory[operation](users);
    // Whoever does not fit in there must not go on with what the change has taken from them.
    const leaving = await directory.changeUsers(refused.map(({ email }) => removalMessage(email, 0n)));
    const removals = [...plan.removals, ...leaving.plan.removals];
    this.draining.endForRemovedUsers(removals);
    await this.apply(run, { removals, additions: plan.additions });
  }

  private async apply(run: RunningEngine, plan: UserPlan): Promise<RefusedUser[]> {
    if (plan.removals.length + plan.additions.length === 0) return [];
    const { engine, desired } = run;
    try {
      const refused = await engine.users.reconcile(plan, desired.directory, () =>
        this.replacement.estimateRenewalMs(run),
      );
      return refused === 'handover' ? await this.replacement.renewEngine(run, plan) : refused;
    } catch (error) {
      // The next run starts with the correct users, whichever the engine has now.
      this.warn(`users were not changed: ${messageOf(error)}; the engine is restarted with the right ones`);
      await engine.readLastTraffic();
      engine.kill();
      await engine.exited;
      return [];
    }
  }

  private async hasConnections(engine: Engine, endpoints: readonly Endpoint[]): Promise<boolean | undefined> {
    const rights = await this.findRights();
    if (engine.pid !== undefined) return hasClientConnections(engine.pid, endpoints, rights);
    if (!engine.isForeign) return false;
    const engines = [this.supervisor.running?.engine, ...this.draining.engines];
    const pids = engines.flatMap((other) => other?.pid ?? []);
    return hasOtherClientConnections(pids, endpoints, rights);
  }

  /** The engine counts no users who come over the machine itself, and the system tells no connections of UDP. */
  private async isIdle({ engine, desired }: RunningEngine): Promise<boolean> {
    const online = await this.statistics.onlineUsers().catch(() => undefined);
    return online?.length === 0 && (await this.hasConnections(engine, desired.plan.endpoints)) === false;
  }

  private note(text: string): void {
    if (this.events.note) this.events.note(text);
    else this.events.log(`[rampart] ${text}`);
  }

  private warn(text: string): void {
    if (this.events.warn) this.events.warn(text);
    else this.events.log(`[rampart] [Warning] ${text}`);
  }
}

function withoutRefused(users: readonly RawUser[], refused: readonly RefusedUser[]): readonly RawUser[] {
  if (refused.length === 0) return users;
  const emails = new Set(refused.map(({ email }) => email));
  return users.filter(({ email }) => !emails.has(email));
}
