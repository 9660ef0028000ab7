import type { RefusedUser } from '@rampart/node-client';
import { unlessAborted } from '../../../concurrency/race-abort.js';
import { NodeError } from '../../../errors/node-error.js';
import { EngineRefusal, EngineSilence } from '../api/engine-call.js';
import type { Run, Target } from '../engine/desired-state.js';
import type { Engine } from '../engine/engine.js';
import type { FilledInbound } from '../messages/inbound-template.js';
import { engineWords } from '../process/engine-error-text.js';
import type { UserStep } from '../users/user-plan.js';
import { inTheWay, stepsOf, tagsOf } from './handover-plan.js';
import { OldInbounds } from './old-inbounds.js';

export interface HandoverOptions {
  readonly from: Run;
  readonly to: Target;
  /** Who must lose the streaming connections that the old engine keeps, see `streamingTags`. */
  readonly leaving: readonly UserStep[];
  /** Brings the new engine up, without some of its inbounds. */
  launch(leaveOut: ReadonlySet<string>): Promise<Engine>;
  /** Ends the new one when it cannot take over. */
  discard(engine: Engine): Promise<void>;
  /** Aborted, with the reason, when all engines are to end: a call that hangs is not waited for. */
  readonly signal: AbortSignal;
}

export interface HandedOver {
  readonly engine: Engine;
  /** Users whom the engine refuses against our expectation; they are out of the directory. */
  readonly refused: RefusedUser[];
}

const ANSWER_WITHIN_MS = 5000;

/**
 * Brings up a new engine beside the old one and passes the inbounds over: those that both can serve for a while are
 * there from the start, the others follow one by one. At the end the old one has none left, only its connections. On an
 * error the old one has all of its inbounds again and the new one is gone.
 */
export async function handOver({ from, to, leaving, launch, discard, signal }: HandoverOptions): Promise<HandedOver> {
  const gapped = tagsOf(to.plan, 'gapped');
  const engine = await launch(new Set(gapped));
  const old = new OldInbounds(from);
  const passOver = async (): Promise<HandedOver> => {
    await old.dismiss(leaving);
    const fillings: [tag: string, FilledInbound][] = [];
    // Before anything is let go: the gap is no longer than the call.
    for (const tag of gapped) fillings.push([tag, await engine.templates.filled(tag, to.directory.members(tag))]);
    for (const [tag, { message }] of fillings) {
      for (const other of inTheWay(from.target.plan, to.plan, tag)) await old.letGo(other);
      await engine.api.addInbound(message);
    }
    for (const tag of from.target.plan.handovers.keys()) await old.letGo(tag);
    const left = fillings.flatMap(([tag, filling]) => stepsOf(to.plan, tag, filling.left));
    const refused = await engine.users.reconcile({ removals: [], additions: left }, to.directory);
    await engine.probe(ANSWER_WITHIN_MS);
    return { engine, refused: refused === 'handover' ? [] : refused };
  };
  try {
    return await unlessAborted(passOver(), signal);
  } catch (cause) {
    // It may be busy with what hangs, and would not heed a request to end.
    if (signal.aborted) engine.kill();
    await discard(engine);
    signal.throwIfAborted();
    await old.takeBack();
    throw notHandedOver(cause, to);
  }
}

function notHandedOver(cause: unknown, { plan }: Target): unknown {
  if (!(cause instanceof EngineRefusal || cause instanceof EngineSilence)) return cause;
  const words = engineWords([cause.message], plan.tree);
  return new NodeError('START_FAILED', `the new engine could not take over, the one before runs on: ${words}`, {
    cause,
  });
}
