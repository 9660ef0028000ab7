import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARIES = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
];

/** The wall clock of a program, which can jump; its monotonic clock cannot. Needs libfaketime. */
export interface Clock {
  /** Settings with which the program is started. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock this many seconds before (negative) or after the real time. Undefined without libfaketime. */
  readonly jump: ((seconds: number) => void) | undefined;
}

/** @param file where libfaketime reads how far the clock is off. */
export function makeClock(file: string): Clock {
  const library = LIBRARIES.find((path) => existsSync(path));
  if (library === undefined) return { env: {}, jump: undefined };
  const jump = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}`);
  jump(0);
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DONT_RESET: '1',
  };
  return { env, jump };
}

const SHARED_MEMORY = '/dev/shm';

/** Removes what libfaketime leaves in memory of programs that were killed. */
export function removeDeadClocks(): void {
  if (!existsSync(SHARED_MEMORY)) return;
  for (const name of readdirSync(SHARED_MEMORY)) {
    const [, pid] = /^(?:sem\.)?faketime_(?:sem|shm)_(\d+)$/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(SHARED_MEMORY, name), { force: true });
  }
}
