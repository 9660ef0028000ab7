import { EngineRefusal } from '../api/engine-call.js';
import type { RunningEngine } from '../engine/engine.js';
import type { UserStep } from '../users/user-plan.js';
import { memberSteps } from './handover-plan.js';

/** The inbounds of an engine that hands them over, and may have to get them back. */
export class OldInbounds {
  /** Tags of inbounds that were changed or removed. */
  private readonly changedTags = new Set<string>();
  private readonly removedTags = new Set<string>();

  constructor(private readonly running: RunningEngine) {}

  /** Removes leaving users, so that they cannot open anything new on connections that live on. */
  async removeLeavingUsers(leaving: readonly UserStep[]): Promise<void> {
    for (const { inbound } of leaving) this.changedTags.add(inbound.tag);
    const noUsers = { members: () => [], removeUser: () => [] };
    try {
      await this.running.engine.users.reconcile({ removals: [...leaving], additions: [] }, noUsers);
    } catch {
      await this.killEngine();
    }
  }

  async removeInbound(tag: string): Promise<void> {
    if (this.removedTags.has(tag)) return;
    this.removedTags.add(tag);
    this.changedTags.add(tag);
    const { engine } = this.running;
    try {
      await engine.api.removeInbound(engine.users.tagOf(tag));
    } catch (error) {
      // A refusal means that the inbound is not there.
      if (!(error instanceof EngineRefusal)) await this.killEngine();
    }
  }

  /** Restores all inbounds. An engine that does not accept them is ended, and started again. */
  async restoreInbounds(): Promise<void> {
    const { engine, desired } = this.running;
    try {
      for (const tag of this.changedTags) {
        const { message, leftOut } = await engine.templates.fillInbound(tag, desired.directory.members(tag));
        const name = engine.users.tagOf(tag);
        await engine.api.removeInbound(name).catch(() => undefined);
        await engine.api.addInbound({ ...message, tag: name });
        const additions = memberSteps(desired.plan, tag, leftOut);
        await engine.users.reconcile({ removals: [], additions }, desired.directory);
      }
    } catch {
      await this.killEngine();
    }
  }

  /** Ends an engine that refuses a call or does not answer; its ports are free as soon as it has ended. */
  private async killEngine(): Promise<void> {
    this.running.engine.kill();
    await this.running.engine.exited;
  }
}
