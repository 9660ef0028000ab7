import type { RefusedUser } from '@rampart/node-client';
import type { Run, Target } from '../engine/desired-state.js';
import type { Engine } from '../engine/engine.js';
import type { Launcher, LaunchOptions } from '../engine/launcher.js';
import type { Supervisor } from '../engine/supervisor.js';
import type { UserPlan, UserStep } from '../users/user-plan.js';
import type { Draining } from './draining-engines.js';
import { handOver } from './handover.js';
import { leavingUsers, restartReason, spreadingTags, streamingTags } from './handover-plan.js';

export interface SuccessionOptions {
  readonly launcher: Launcher;
  readonly supervisor: Supervisor;
  readonly draining: Draining;
  /** Why there is no memory for another engine beside this one, if there is none. */
  shortage(engine: Engine): Promise<string | undefined>;
  /** Books the last reading and ends it. */
  end(engine: Engine): Promise<void>;
  note(text: string): void;
}

/** What a handover takes: as long as an engine needs to come up, and twice that to be worth it. */
const HANDOVER_MS = { fixed: 1000, perUser: 0.1 };

/** How one engine follows another. */
export class Succession {
  /** Why the last one cut connections, if it did. */
  private cut?: string;

  constructor(private readonly options: SuccessionOptions) {}

  get warnings(): readonly string[] {
    return this.cut === undefined ? [] : [this.cut];
  }

  /** Brings up what is to run, where nothing runs; when that does not come up, what was wanted before. */
  async start(to: Target, options: LaunchOptions = {}): Promise<void> {
    const { launcher, supervisor, note } = this.options;
    const { target } = supervisor;
    supervisor.release();
    try {
      supervisor.keep({ engine: await launcher.launch(to, options), target: to });
    } catch (error) {
      if (target !== undefined) note('the new configuration did not come up: the one before is put back');
      await supervisor.relaunch();
      throw error;
    }
    this.cut = undefined;
  }

  /** Another configuration in place of what runs, without cutting a connection where that is possible. */
  async replace(run: Run, to: Target): Promise<RefusedUser[]> {
    const { supervisor, end, note } = this.options;
    const reason = restartReason(run.target.plan, to.plan) ?? (await this.makeRoom(run));
    if (reason === undefined) {
      const next = await this.handOver(run, to, await leavingUsers(run.target, to));
      supervisor.keep(next.run);
      this.drain(run);
      this.cut = undefined;
      return next.refused;
    }
    supervisor.release();
    await end(run.engine);
    await this.start(to);
    this.cut = `the last change of the configuration restarted the engine: ${reason}`;
    note(this.cut);
    return [];
  }

  /** A new engine with the same configuration, because that is quicker than telling the old one who has changed. */
  async renew(run: Run, plan: UserPlan): Promise<RefusedUser[]> {
    const { supervisor, note } = this.options;
    const streaming = streamingTags(run.target.plan);
    const leaving = plan.removals.filter(({ inbound }) => streaming.has(inbound.tag));
    try {
      const next = await this.handOver(run, run.target, leaving);
      supervisor.renew(next.run);
      this.drain(run);
      return next.refused;
    } catch (error) {
      note(`users are changed one by one: ${error instanceof Error ? error.message : String(error)}`);
      const refused = await run.engine.users.reconcile(plan, run.target.directory);
      return refused === 'handover' ? [] : refused;
    }
  }

  /** Changes that take longer are made by a new engine, where there can be one. */
  async renewalMs({ engine, target: { plan, directory } }: Run): Promise<number> {
    const possible = restartReason(plan, plan) === undefined && (await this.options.shortage(engine)) === undefined;
    return possible ? HANDOVER_MS.fixed + HANDOVER_MS.perUser * directory.count : Number.POSITIVE_INFINITY;
  }

  /** Nothing runs any more, and nothing is to. */
  forget(): void {
    this.cut = undefined;
  }

  private async handOver(from: Run, to: Target, leaving: readonly UserStep[]) {
    const { launcher, end } = this.options;
    const { engine, refused } = await handOver({
      from,
      to,
      leaving,
      launch: (leaveOut) => launcher.launch(to, { leaveOut }),
      discard: (next) => end(next),
      signal: launcher.signal,
    });
    return { run: { engine, target: to }, refused };
  }

  private drain({ engine, target: { plan } }: Run): void {
    const streaming = streamingTags(plan);
    const lingers = ({ inbound }: UserStep) => streaming.has(inbound.tag);
    // HTTP/3 listens until the engine ends.
    const keeps = plan.endpoints.filter(({ tag }) => plan.handovers.get(tag) === 'restart');
    const spreading = spreadingTags(plan);
    const endpoints = plan.endpoints.filter(({ tag }) => !spreading.has(tag));
    const cuts = plan.endpoints.filter(({ tag }) => spreading.has(tag));
    this.options.draining.add({ engine, endpoints, cuts, keeps, lingers });
  }

  /** Engines that only drain go where there is no memory for another one. Why there is none then, if so. */
  private async makeRoom({ engine }: Run): Promise<string | undefined> {
    const { draining, shortage } = this.options;
    const reason = await shortage(engine);
    if (reason === undefined || !draining.busy) return reason;
    await draining.endAll();
    return shortage(engine);
  }
}
