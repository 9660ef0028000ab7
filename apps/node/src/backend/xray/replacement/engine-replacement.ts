import { restartReason } from '@rampart/core-config';
import type { RefusedUser } from '@rampart/node-client';
import { messageOf } from '@rampart/program';
import type { Clock } from '../../../concurrency/clock.js';
import type { DesiredState } from '../engine/desired-state.js';
import type { Engine, RunningEngine } from '../engine/engine.js';
import type { EngineLauncher, LaunchOptions } from '../engine/launcher.js';
import type { Supervisor } from '../engine/supervisor.js';
import type { UserPlan, UserStep } from '../users/user-plan.js';
import type { DrainingEngines } from './draining-engines.js';
import { handOver } from './handover.js';
import { findLeavingUsers } from './handover-plan.js';

export interface EngineReplacementOptions {
  readonly launcher: EngineLauncher;
  readonly supervisor: Supervisor;
  readonly draining: DrainingEngines;
  readonly clock: Clock;
  /** Why memory does not suffice for a second engine; undefined when it does. */
  memoryShortage(engine: Engine): Promise<string | undefined>;
  /** Whether certainly no user is connected. */
  isIdle(run: RunningEngine): Promise<boolean>;
  /** Reports the last reading and ends the engine. */
  end(engine: Engine): Promise<void>;
  note(text: string): void;
}

/** Estimated cost of a renewal: twice the start-up time of an engine, so that it is only chosen when it is worth it. */
const RENEWAL_COST_MS = { fixed: 1000, perUser: 0.1 };

/** Replaces one engine by another. */
export class EngineReplacement {
  /** Replacements that cut no connection, by what has changed. */
  readonly handovers = { configuration: 0, users: 0 };
  /** Replacements that had to end the old engine first. */
  restarts = 0;
  /** Why the last replacement restarted the engine and cut connections, if it did. */
  private restartWarning?: string;

  constructor(private readonly options: EngineReplacementOptions) {}

  get warnings(): readonly string[] {
    return this.restartWarning === undefined ? [] : [this.restartWarning];
  }

  /** Starts an engine when none runs. When it does not come up, the previous state is started again. */
  async startEngine(to: DesiredState, options: LaunchOptions = {}): Promise<void> {
    const { launcher, supervisor, note } = this.options;
    const { desired } = supervisor;
    supervisor.stopWatching();
    try {
      supervisor.superviseNewState({ engine: await launcher.launch(to, options), desired: to });
    } catch (error) {
      if (desired !== undefined)
        note('the engine did not come up with the new configuration: the previous one is restored');
      await supervisor.relaunch();
      throw error;
    }
    this.restartWarning = undefined;
  }

  /** Runs another configuration in place of the current one, without cutting connections where that is possible. */
  async replaceConfig(run: RunningEngine, to: DesiredState): Promise<RefusedUser[]> {
    const { supervisor, end, note } = this.options;
    const reason = restartReason(run.desired.plan, to.plan) ?? (await this.makeRoom(run));
    if (reason === undefined) {
      const refused = await this.takeOver(run, to, (next) => supervisor.superviseNewState(next));
      this.restartWarning = undefined;
      return refused;
    }
    supervisor.stopWatching();
    await end(run.engine);
    await this.startEngine(to);
    this.restarts += 1;
    this.restartWarning = `the last change of the configuration restarted the engine: ${reason}`;
    note(this.restartWarning);
    return [];
  }

  /**
   * Tries the desired state in place of another one that runs because the engine kept failing. No connection is cut: where
   * a new engine cannot take over, the try waits until nobody is connected.
   */
  async retryDesired(run: RunningEngine, desired: DesiredState): Promise<void> {
    const { launcher, supervisor, draining, memoryShortage, isIdle, end, note } = this.options;
    const waitsFor = draining.obstacleFor(desired.plan.endpoints);
    if (waitsFor !== undefined) return supervisor.postponeRetry(waitsFor);
    const reason = restartReason(run.desired.plan, desired.plan) ?? (await memoryShortage(run.engine));
    if (reason !== undefined && !(await isIdle(run)))
      return supervisor.postponeRetry(`${reason}, and users are connected`);
    try {
      if (reason === undefined) {
        const refused = await this.takeOver(run, desired, (next) => supervisor.superviseTry(next));
        for (const user of refused) note(`user ${user.email} is refused: ${user.reason}`);
      } else {
        supervisor.stopWatching();
        await end(run.engine);
        supervisor.superviseTry({ engine: await launcher.launch(desired), desired });
      }
    } catch (error) {
      if (launcher.signal.aborted) return;
      supervisor.retryFailed(error);
      if (reason !== undefined) await supervisor.relaunch();
    }
  }

  /** Runs another configuration if that cuts no connection. Returns why it does not run. */
  async tryConfig(run: RunningEngine, to: DesiredState): Promise<string | undefined> {
    const { draining, memoryShortage } = this.options;
    const reason =
      restartReason(run.desired.plan, to.plan) ??
      draining.obstacleFor(to.plan.endpoints) ??
      (await memoryShortage(run.engine));
    return reason ?? this.replaceConfig(run, to).then(() => undefined, messageOf);
  }

  /** Replaces the engine by a new one with the same configuration, because that is faster than changing its users. */
  async renewEngine(run: RunningEngine, plan: UserPlan): Promise<RefusedUser[]> {
    const { supervisor, note } = this.options;
    const { streamingTags } = run.desired.plan;
    const leaving = plan.removals.filter(({ inbound }) => streamingTags.has(inbound.tag));
    try {
      const next = await this.handOver(run, run.desired, leaving);
      supervisor.superviseNewEngine(next.run);
      this.handovers.users += 1;
      this.drainEngine(run);
      return next.refused;
    } catch (error) {
      note(`users are changed one by one: ${messageOf(error)}`);
      const refused = await run.engine.users.reconcile(plan, run.desired.directory);
      return refused === 'handover' ? [] : refused;
    }
  }

  /** Estimated time of a renewal; infinite when none is possible. Changes that take longer are made by a renewal. */
  async estimateRenewalMs({ engine, desired: { plan, directory } }: RunningEngine): Promise<number> {
    const possible =
      restartReason(plan, plan) === undefined && (await this.options.memoryShortage(engine)) === undefined;
    return possible ? RENEWAL_COST_MS.fixed + RENEWAL_COST_MS.perUser * directory.count : Number.POSITIVE_INFINITY;
  }

  /** Clears the warning after a Stop. */
  clearWarning(): void {
    this.restartWarning = undefined;
  }

  /** Hands over to an engine with another state, which is supervised from then on. */
  private async takeOver(
    run: RunningEngine,
    to: DesiredState,
    supervise: (next: RunningEngine) => void,
  ): Promise<RefusedUser[]> {
    const next = await this.handOver(run, to, await findLeavingUsers(run.desired, to));
    supervise(next.run);
    this.handovers.configuration += 1;
    this.drainEngine(run);
    return next.refused;
  }

  private async handOver(from: RunningEngine, to: DesiredState, leaving: readonly UserStep[]) {
    const { launcher, end } = this.options;
    const { engine, refused } = await handOver({
      from,
      to,
      leavingUsers: leaving,
      launch: (leaveOut) => launcher.launch(to, { leaveOut }),
      discard: (next) => end(next),
      signal: launcher.signal,
    });
    return { run: { engine, desired: to }, refused };
  }

  /**
   * Lets an engine without inbounds go on for its connections.
   * @param since when it has lost its inbounds, in ms since 1970, if that was earlier
   */
  drainEngine({ engine, desired: { plan } }: RunningEngine, since = this.options.clock.now()): void {
    void engine.markDraining(since);
    const { streamingTags, spreadingTags } = plan;
    const keepsStreamsOf = ({ inbound }: UserStep) => streamingTags.has(inbound.tag);
    // An HTTP/3 listener stays open until the engine ends.
    const keptEndpoints = plan.endpoints.filter(({ tag }) => plan.handovers.get(tag) === 'restart');
    const endpoints = plan.endpoints.filter(({ tag }) => !spreadingTags.has(tag));
    const resetEndpoints = plan.endpoints.filter(({ tag }) => spreadingTags.has(tag));
    this.options.draining.add({ engine, endpoints, resetEndpoints, keptEndpoints, keepsStreamsOf, since });
  }

  /**
   * Ends draining engines when memory does not suffice for another engine. Returns the reason when it still does not.
   */
  private async makeRoom({ engine }: RunningEngine): Promise<string | undefined> {
    const { draining, memoryShortage } = this.options;
    const reason = await memoryShortage(engine);
    if (reason === undefined || !draining.hasEngines) return reason;
    await draining.endAll();
    return memoryShortage(engine);
  }
}
