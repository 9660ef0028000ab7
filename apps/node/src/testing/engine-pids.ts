import { readdir, readFile } from 'node:fs/promises';
import { eventually } from '@rampart/testing';

/** Process ids of the engines of a data directory, found by the mark in their environment. */
export async function enginePids(dataDir: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (new RegExp(`RAMPART_ENGINE_OWNER=\\d+:\\d*:${dataDir}(\0|$)`).test(environment)) found.push(Number(name));
  }
  return found;
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
