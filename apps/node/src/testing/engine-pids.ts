import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { eventually } from '@rampart/testing';

/**
 * Process ids of the engines of a data directory, found by the mark in their environment. Tests call it again and again
 * while they wait, and synchronous reads of /proc cost a tenth of asynchronous ones.
 */
export async function enginePids(dataDir: string): Promise<number[]> {
  const mark = new RegExp(`RAMPART_ENGINE_OWNER=\\d+:\\d*:${dataDir}(\0|$)`);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && mark.test(environmentOf(name)))
    .map(Number);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // The process has ended.
  }
}

/** Suspends the engines of a data directory; none of them answers any more when this resolves. */
export async function hangEngines(dataDir: string): Promise<void> {
  for (const pid of await enginePids(dataDir)) {
    process.kill(pid, 'SIGSTOP');
    await eventually('every thread stands still', async () => {
      const threads = await readdir(`/proc/${pid}/task`);
      const states = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8')));
      return states.every((stat) => stat.slice(stat.lastIndexOf(')') + 2).startsWith('T'));
    });
  }
}
