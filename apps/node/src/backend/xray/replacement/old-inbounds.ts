import { EngineRefusal } from '../api/engine-call.js';
import type { Run } from '../engine/desired-state.js';
import type { UserStep } from '../users/user-plan.js';
import { stepsOf } from './handover-plan.js';

/** The inbounds of an engine that is to let go of them, and may have to take them back. */
export class OldInbounds {
  /** Those that are not as they were. */
  private readonly touched = new Set<string>();
  private readonly gone = new Set<string>();

  constructor(private readonly run: Run) {}

  /** So that connections that live on open nothing new for these users. */
  async dismiss(leaving: readonly UserStep[]): Promise<void> {
    for (const { inbound } of leaving) this.touched.add(inbound.tag);
    const nobody = { members: () => [], remove: () => [] };
    try {
      await this.run.engine.users.reconcile({ removals: [...leaving], additions: [] }, nobody);
    } catch {
      await this.end();
    }
  }

  async letGo(tag: string): Promise<void> {
    if (this.gone.has(tag)) return;
    this.gone.add(tag);
    this.touched.add(tag);
    const { engine } = this.run;
    try {
      await engine.api.removeInbound(engine.users.tagOf(tag));
    } catch (error) {
      // Refused: it is not there.
      if (!(error instanceof EngineRefusal)) await this.end();
    }
  }

  /** Puts everything back as it was. An engine that does not take it is ended, and starts anew. */
  async takeBack(): Promise<void> {
    const { engine, target } = this.run;
    try {
      for (const tag of this.touched) {
        const { message, left } = await engine.templates.filled(tag, target.directory.members(tag));
        const name = engine.users.tagOf(tag);
        await engine.api.removeInbound(name).catch(() => undefined);
        await engine.api.addInbound({ ...message, tag: name });
        const additions = stepsOf(target.plan, tag, left);
        await engine.users.reconcile({ removals: [], additions }, target.directory);
      }
    } catch {
      await this.end();
    }
  }

  /** One that does not do as it is told has nothing worth keeping. What it listened on is free as soon as it has ended. */
  private async end(): Promise<void> {
    this.run.engine.kill();
    await this.run.engine.exited;
  }
}
