import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** The processes that a process has started. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Signals processes, of which some may have ended since they were listed, as workers of a database do. */
function signal(pids: readonly number[], name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Runs `work` while processes stand still. */
export async function whileStopped<T>(pids: readonly number[], work: () => Promise<T>): Promise<T> {
  try {
    signal(pids, 'SIGSTOP');
    return await work();
  } finally {
    signal(pids, 'SIGCONT');
  }
}

/**
 * Runs `work` while processes run only from time to time, as on a processor that is busy with others.
 * @param pids tells the processes at each time
 */
export async function whileStarved(
  pids: () => readonly number[],
  { stoppedMs, runMs }: { stoppedMs: number; runMs: number },
  work: () => Promise<void>,
): Promise<void> {
  let isDone = false;
  const starve = async (): Promise<void> => {
    while (!isDone) {
      await whileStopped(pids(), () => setTimeout(stoppedMs));
      await setTimeout(runMs);
    }
  };
  const starved = starve();
  try {
    await work();
  } finally {
    isDone = true;
    await starved;
  }
}
