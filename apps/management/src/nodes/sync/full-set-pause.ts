import { NodeProblem } from '../store/node-problem.js';
import type { NodeTiming } from './node-timing.js';

/** With more full sets than these that are not forgotten, a node waits for the next one. */
const FREE_SETS = 6;

/** The node gets no full set before the pause is over. */
export class FullSetPaused extends NodeProblem {}

/**
 * How soon a node gets the next full set of users that nobody has ordered, since it says that it has lost them, or fails to
 * take them. After a few sets the pause doubles with each one; a single good answer ends nothing, since each set is
 * forgotten by itself.
 */
export class FullSetPause {
  /** Full sets that are not forgotten, the last ones in part. */
  private sent = 0;
  private lastSent = 0;
  private pauseMs = 0;
  private lastText = '';

  constructor(private readonly timing: NodeTiming) {}

  /** Milliseconds until the node may get the next full set; 0: it may now. */
  get remainingMs(): number {
    return Math.max(0, this.lastSent + this.pauseMs - performance.now());
  }

  /** Until when the node gets none, in a sentence for admins; undefined where it may. */
  get text(): string | undefined {
    return this.remainingMs > 0 ? this.lastText : undefined;
  }

  /** The node is sent a full set. */
  setSent(): void {
    const { firstSetPauseMs, maxSetPauseMs, setForgottenMs } = this.timing;
    const now = performance.now();
    const remembered = Math.max(0, this.sent - (now - this.lastSent) / setForgottenMs);
    const mostSets = FREE_SETS + 1 + Math.log2(maxSetPauseMs / firstSetPauseMs);
    this.sent = Math.min(remembered + 1, mostSets);
    this.lastSent = now;
    const beyond = this.sent - FREE_SETS;
    this.pauseMs = beyond > 0 ? Math.min(firstSetPauseMs * 2 ** (beyond - 1), maxSetPauseMs) : 0;
    const end = new Date(Date.now() + this.pauseMs).toISOString().slice(0, -5);
    this.lastText = `it has needed the full set of users ${Math.ceil(this.sent)} times lately: it gets the next one after ${end}Z`;
  }
}
