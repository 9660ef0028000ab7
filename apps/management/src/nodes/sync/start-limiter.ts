import type { NodeClient } from '@rampart/node-client';
import { Semaphore } from '../../concurrency/semaphore.js';

const AT_ONCE = 4;
/** A failure that took longer has kept others waiting. */
const LONG_MS = 10_000;
/** So often a node that waits is called: its engine may run, and would stop if nobody did. */
const CALL_MS = 5_000;

/**
 * A full set of users is held in memory while it is sent, so only a few nodes get theirs at once. A node that last failed
 * to take it for a long time waits in a row of its own, one at a time: those that hang hold up nobody else.
 */
export class StartLimiter {
  private readonly prompt = new Semaphore(AT_ONCE);
  private readonly hanging = new Semaphore(1);
  private readonly hung = new Set<number>();

  /** @param signal ends the wait, not the task */
  async run<T>(
    nodeId: number,
    client: Pick<NodeClient, 'info'>,
    task: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const gate = this.hung.has(nodeId) ? this.hanging : this.prompt;
    const waiting = setInterval(() => void client.info({ signal }).catch(() => undefined), CALL_MS);
    try {
      return await gate.run(() => {
        clearInterval(waiting);
        return this.watch(nodeId, task);
      }, signal);
    } finally {
      clearInterval(waiting);
    }
  }

  private async watch<T>(nodeId: number, task: () => Promise<T>): Promise<T> {
    const begin = performance.now();
    try {
      const result = await task();
      this.hung.delete(nodeId);
      return result;
    } catch (error) {
      if (performance.now() - begin > LONG_MS) this.hung.add(nodeId);
      throw error;
    }
  }
}
