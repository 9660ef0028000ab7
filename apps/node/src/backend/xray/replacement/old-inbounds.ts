import { EngineRefusal } from '../api/engine-call.js';
import type { RunningEngine } from '../engine/engine.js';
import type { UserStep } from '../users/user-plan.js';
import { memberSteps } from './handover-plan.js';

/** The inbounds of an engine that is to let go of them, and may have to take them back. */
export class OldInbounds {
  /** Those that are not as they were. */
  private readonly changedTags = new Set<string>();
  private readonly removedTags = new Set<string>();

  constructor(private readonly running: RunningEngine) {}

  /** So that connections that live on open nothing new for these users. */
  async removeLeavingUsers(leaving: readonly UserStep[]): Promise<void> {
    for (const { inbound } of leaving) this.changedTags.add(inbound.tag);
    const nobody = { members: () => [], removeUser: () => [] };
    try {
      await this.running.engine.users.reconcile({ removals: [...leaving], additions: [] }, nobody);
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
      // Refused: it is not there.
      if (!(error instanceof EngineRefusal)) await this.killEngine();
    }
  }

  /** Puts everything back as it was. An engine that does not take it is ended, and starts anew. */
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

  /** One that does not do as it is told has nothing worth keeping. What it listened on is free as soon as it has ended. */
  private async killEngine(): Promise<void> {
    this.running.engine.kill();
    await this.running.engine.exited;
  }
}
