import { tagsWithHandover } from '@rampart/core-config';
import type { RefusedUser } from '@rampart/node-client';
import { raceAbort } from '../../../concurrency/race-abort.js';
import { NodeError } from '../../../errors/node-error.js';
import { EngineNotAnswering, EngineRefusal } from '../api/engine-call.js';
import type { DesiredState } from '../engine/desired-state.js';
import type { Engine, RunningEngine } from '../engine/engine.js';
import type { FilledInbound } from '../messages/inbound-template.js';
import { engineErrorText } from '../process/engine-error-text.js';
import type { UserStep } from '../users/user-plan.js';
import { blockingTags, memberSteps } from './handover-plan.js';
import { OldInbounds } from './old-inbounds.js';

export interface HandoverOptions {
  readonly from: RunningEngine;
  readonly to: DesiredState;
  /** Users who must lose the streaming connections that the old engine keeps, see `EnginePlan.streamingTags`. */
  readonly leavingUsers: readonly UserStep[];
  /** Launches the new engine without some of its inbounds. */
  launch(leaveOut: ReadonlySet<string>): Promise<Engine>;
  /** Ends the new engine when it cannot take over. */
  discard(engine: Engine): Promise<void>;
  /** Aborted with a reason when all engines must end; a call that hangs is then not awaited. */
  readonly signal: AbortSignal;
}

export interface HandoverResult {
  readonly engine: Engine;
  /** Users that the engine unexpectedly refuses; they are removed from the directory. */
  readonly refused: RefusedUser[];
}

const MAX_ANSWER_MS = 5000;

/**
 * Launches a new engine beside the old one and hands the inbounds over: inbounds that both engines can serve at the
 * same time are in the new one from the start, the others follow one by one. Afterwards the old engine has only its
 * connections. On an error the old engine gets all its inbounds back and the new one is ended.
 */
export async function handOver({
  from,
  to,
  leavingUsers,
  launch,
  discard,
  signal,
}: HandoverOptions): Promise<HandoverResult> {
  const gapped = tagsWithHandover(to.plan, 'gapped');
  const engine = await launch(new Set(gapped));
  const old = new OldInbounds(from);
  const passOver = async (): Promise<HandoverResult> => {
    await old.removeLeavingUsers(leavingUsers);
    const fillings: [tag: string, FilledInbound][] = [];
    // Messages are prepared before any inbound is removed, so that the gap is only as long as the call.
    for (const tag of gapped) fillings.push([tag, await engine.templates.fillInbound(tag, to.directory.members(tag))]);
    for (const [tag, { message }] of fillings) {
      for (const other of blockingTags(from.desired.plan, to.plan, tag)) await old.removeInbound(other);
      await engine.api.addInbound(message);
    }
    for (const tag of from.desired.plan.handovers.keys()) await old.removeInbound(tag);
    const left = fillings.flatMap(([tag, filling]) => memberSteps(to.plan, tag, filling.leftOut));
    const refused = await engine.users.reconcile({ removals: [], additions: left }, to.directory);
    await engine.probe(MAX_ANSWER_MS);
    return { engine, refused: refused === 'handover' ? [] : refused };
  };
  try {
    return await raceAbort(passOver(), signal);
  } catch (cause) {
    // The new engine may hang in a call, and would then not react to SIGTERM.
    if (signal.aborted) engine.kill();
    await discard(engine);
    signal.throwIfAborted();
    await old.restoreInbounds();
    throw handoverError(cause, to);
  }
}

function handoverError(cause: unknown, { plan }: DesiredState): unknown {
  if (!(cause instanceof EngineRefusal || cause instanceof EngineNotAnswering)) return cause;
  const words = engineErrorText([cause.message], plan.tree);
  return new NodeError('START_FAILED', `the new engine could not take over, the previous one still runs: ${words}`, {
    cause,
  });
}
