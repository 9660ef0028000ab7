import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** The processes that a process has started. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Runs `work` while processes stand still. */
export async function whileStopped<T>(pids: readonly number[], work: () => Promise<T>): Promise<T> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    return await work();
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
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
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await whileStopped(pids(), () => setTimeout(stoppedMs));
    await setTimeout(runMs);
  }
  await done;
}
