import type { NodeClient } from '@rampart/node-client';
import { Semaphore } from '../../concurrency/semaphore.js';

const MAX_CONCURRENT_STARTS = 4;
/** A task that fails after this time has kept other nodes waiting. */
const SLOW_FAILURE_MS = 10_000;
/** Interval of calls to a waiting node, whose engine may run and would stop if nobody called. */
const KEEP_ALIVE_CALL_MS = 5_000;

/**
 * Limits how many nodes get a full set of users at once, because each set is held in memory while it is sent. Nodes whose
 * last attempt failed slowly share one place of their own, so that they do not hold up the others.
 */
export class StartLimiter {
  private readonly normal = new Semaphore(MAX_CONCURRENT_STARTS);
  private readonly slow = new Semaphore(1);
  private readonly slowNodes = new Set<number>();

  /** @param signal ends the wait, not the task */
  async run<T>(
    nodeId: number,
    client: Pick<NodeClient, 'info'>,
    task: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const semaphore = this.slowNodes.has(nodeId) ? this.slow : this.normal;
    const keepAlive = setInterval(() => void client.info({ signal }).catch(() => undefined), KEEP_ALIVE_CALL_MS);
    try {
      return await semaphore.run(() => {
        clearInterval(keepAlive);
        return this.runTimed(nodeId, task);
      }, signal);
    } finally {
      clearInterval(keepAlive);
    }
  }

  private async runTimed<T>(nodeId: number, task: () => Promise<T>): Promise<T> {
    const begin = performance.now();
    try {
      const result = await task();
      this.slowNodes.delete(nodeId);
      return result;
    } catch (error) {
      if (performance.now() - begin > SLOW_FAILURE_MS) this.slowNodes.add(nodeId);
      throw error;
    }
  }
}
