import { readlinkSync } from 'node:fs';
import { processStat } from './process-stat.js';

/** A process, told apart from later ones with the same process id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since the machine started. */
  readonly startTime: string;
  /** The kernel's name of the namespace that the process id belongs to. */
  readonly pidNamespace: string;
}

/** Start time of a process in clock ticks; undefined when there is no such process, or no /proc. */
export const startTimeOf = (pid: number): string | undefined => processStat(pid)?.[19];

/** The namespace of process ids of this process; empty where there is no /proc. */
export function ownPidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Whether the process runs in another namespace of process ids, so that its id has another meaning here. */
export function isForeign({ pidNamespace }: ProcessIdentity): boolean {
  return pidNamespace !== ownPidNamespace();
}

export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  return startTimeOf(pid) === startTime;
}
