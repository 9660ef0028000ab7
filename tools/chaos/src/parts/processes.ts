import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Sends a signal to processes; those that have ended are passed over. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch {
      // The process has ended meanwhile.
    }
}

/** A process and everything that it has started, which still runs. */
export function withDescendants(ancestor: number): number[] {
  const parents = runningProcesses().map((pid) => ({ pid, parent: parentOf(pid) }));
  const found = [ancestor];
  for (const pid of found) found.push(...parents.filter(({ parent }) => parent === pid).map((entry) => entry.pid));
  return found;
}

/** The processes that listen on a TCP port. @param wrapper the command that executes a program in their namespace. */
export function listenersOn(port: number, wrapper: readonly string[]): number[] {
  const [command = '', ...args] = [...wrapper, 'ss', '-ltnpH', `sport = :${port}`];
  const output = execFileSync(command, args, { encoding: 'utf8' });
  return [...new Set([...output.matchAll(/pid=(\d+)/g)].map(([, pid]) => Number(pid)))];
}

/** The processes with a folder in their command line or environment: programs of a run, their engines, and what keeps these. */
export function processesOf(folder: string): number[] {
  return runningProcesses().filter((pid) => ['cmdline', 'environ'].some((file) => textOf(pid, file).includes(folder)));
}

const runningProcesses = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

function parentOf(pid: number): number | undefined {
  const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(textOf(pid, 'stat')) ?? [];
  return parent === undefined ? undefined : Number(parent);
}

function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // The process has ended meanwhile.
  }
}
