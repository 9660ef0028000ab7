import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { processorMsOf } from './processor-time.js';

describe(processorMsOf.name, () => {
  const children: ReturnType<typeof spawn>[] = [];
  const run = (script: string): number => {
    // The name in /proc/PID/stat has a parenthesis and a space then.
    const child = spawn('bash', ['-c', `printf ') 1 2' > /proc/self/comm; ${script}`]);
    children.push(child);
    return child.pid ?? 0;
  };

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  it('the processor time of a process that works grows, also of one that is stopped afterwards', async () => {
    const pid = run('while :; do :; done');
    const used = await eventually('it has worked', () => (processorMsOf(pid) ?? 0) >= 100 && processorMsOf(pid));
    expect(used).toBeLessThan(60_000);
    process.kill(pid, 'SIGSTOP');
  });

  it('there is none for a process that cannot be seen', () => {
    expect(processorMsOf(undefined)).toBeUndefined();
    expect(processorMsOf(2 ** 30)).toBeUndefined();
  });
});
